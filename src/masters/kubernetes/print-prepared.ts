import type { SubmitRequest } from "../../plan/submit-request.ts";
import { printChildMain, type VerboseOutput } from "../../resolve/verbose.ts";
import { internalResource } from "../../values/dependency-uri.ts";

const resourceFlags = {
  java: "--primary-java-resource",
  python: "--primary-py-file",
  r: "--primary-r-file",
} as const;

/** Prints the last blocks of `--verbose` for a submission to Kubernetes. */
export function printPrepared(request: SubmitRequest): VerboseOutput {
  const { appResource, mainClass, appArgs, proxyUser } = request;
  const { kind, uri } = appResource;
  return printChildMain({
    ...request,
    mainClass: "org.apache.spark.deploy.k8s.submit.KubernetesClientApplication",
    args: [
      ...(uri === internalResource ? [] : [resourceFlags[kind], uri]),
      ...["--main-class", { verbatim: mainClass }],
      ...appArgs.flatMap((argument) => [{ verbatim: "--arg" }, argument]),
      ...(proxyUser === undefined ? [] : ["--proxy-user", { verbatim: proxyUser }]),
    ],
  });
}
