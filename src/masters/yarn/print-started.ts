import { yarnDistJars } from "../../conf/entries/app.ts";
import type { ApplicationRequest } from "../../plan/submit-request.ts";
import { printChildMain, type VerboseOutput } from "../../resolve/verbose.ts";
import { internalResource } from "../../values/dependency-uri.ts";

/** Prints the client that Apache's front end would start, for `--verbose`. Source: Spark SparkSubmit.prepareSubmitEnvironment. */
export function printYarnClient(request: ApplicationRequest): VerboseOutput {
  const { appResource, mainClass, appArgs, conf, proxyUser } = request;
  const { kind, uri } = appResource;
  const isUserJar = kind === "java" && uri !== internalResource;
  const resource = {
    java: isUserJar ? ["--jar", uri] : [],
    python: ["--primary-py-file", uri],
    r: ["--primary-r-file", uri.replace(/^.*\//, "")],
  };
  return printChildMain({
    ...request,
    mainClass: "org.apache.spark.deploy.yarn.YarnClusterApplication",
    args: [
      ...resource[kind],
      ...["--class", { verbatim: mainClass }],
      ...appArgs.flatMap((argument) => [{ verbatim: "--arg" }, argument]),
    ],
    // With a proxy user, the client does not load user code.
    classPath: proxyUser === undefined ? [...(isUserJar ? [uri] : []), ...conf.get(yarnDistJars)] : [],
  });
}
