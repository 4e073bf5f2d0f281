import { sparkLog } from "../../host/log.ts";
import { type TestHost, type TestHostOptions, testHost } from "../../host/test-host.ts";
import type { SubmitInvocation } from "../../plan/invocation.ts";
import type { FieldName } from "../../plan/submit-fields.ts";
import { resolveSubmission } from "../../resolve/resolve-submission.ts";
import { printHadoopXml } from "../../values/hadoop-xml.ts";
import { type TestYarnOptions, testYarn, testYarnSite } from "./test-yarn.ts";
import { submitToYarn } from "./yarn-master.ts";

const localSpark = {
  "/spark/bin/spark-submit": "",
  "/spark/RELEASE": "Spark 4.3.0 built for Hadoop 3.5.0\n",
  "/spark/jars/spark-core_2.13-4.3.0.jar": "core",
  "/spark/jars/other.jar": "other",
  "/spark/python/lib/pyspark.zip": "py",
  "/spark/python/lib/py4j-0.10.9.9-src.zip": "py4j",
  "/spark/conf/log4j2.properties": "log",
};

interface TestSubmission {
  readonly env?: Readonly<Record<string, string>>;
  readonly files?: TestHostOptions["files"];
  readonly site?: Readonly<Record<string, string>>;
  readonly yarn?: TestYarnOptions;
  readonly verbose?: boolean;
}

/** Starts a submission to an in-memory cluster. */
export function startSubmission(
  args: readonly string[],
  { env = {}, files = {}, site = {}, yarn: options = {}, verbose = false }: TestSubmission = {},
) {
  const host = testHost({
    env: { HADOOP_CONF_DIR: "/etc/hadoop", SPARK_HOME: "/spark", FIRESTEEL_SPARK_VERSION: "4.3.0", ...env },
    user: { name: "ann" },
    files: {
      "/etc/hadoop/core-site.xml": printHadoopXml(Object.entries({ ...testYarnSite, ...site })),
      "/job/app.jar": "jar",
      ...localSpark,
      ...files,
    },
    cwd: "/job",
  });
  const yarn = testYarn(options);
  return { host, yarn, ended: host.clock.settle(submitInvocation(host, { args, verbose }, yarn)) };
}

async function submitInvocation(
  host: TestHost,
  { args, verbose }: { readonly args: readonly string[]; readonly verbose: boolean },
  { connections }: ReturnType<typeof testYarn>,
) {
  const parsed = invocationOf(["--master", "yarn", "--deploy-mode", "cluster", ...args]);
  const invocation = { ...parsed, verbose };
  return submitToYarn(await resolveSubmission({ host, log: sparkLog(host), invocation }), connections);
}

const fieldsOfOptions: Readonly<Record<string, FieldName>> = {
  ...{ "--master": "master", "--deploy-mode": "deployMode", "--class": "mainClass", "--jars": "jars" },
  ...{ "--files": "files", "--archives": "archives", "--py-files": "pyFiles", "--packages": "packages" },
  ...{ "--driver-memory": "driverMemory", "--executor-memory": "executorMemory", "--principal": "principal" },
};

function invocationOf(args: readonly string[]): SubmitInvocation {
  const fields: Partial<Record<FieldName, string>> = {};
  const settings: SubmitInvocation["settings"][number][] = [];
  let at = 0;
  for (; args[at]?.startsWith("--") === true; at += 2) {
    const [option = "", value = ""] = args.slice(at, at + 2);
    const [key = "", text = ""] = value.split("=", 2);
    if (option === "--conf") settings.push({ key, value: text, origin: { kind: "conf" } });
    else fields[fieldsOfOptions[option] ?? "name"] = value;
  }
  return {
    ...{
      action: "submit",
      resource: args[at] ?? "",
      appArgs: args.slice(at + 1),
      isExample: false,
      forwardedOptions: [],
    },
    ...{ fields, settings, propertiesFile: undefined, extraPropertiesFiles: [], loadsDefaults: false },
    ...{ supervise: false, verbose: false },
  };
}

/** Report about an application that has succeeded. */
export const succeededReport = { state: "FINISHED", finalStatus: "SUCCEEDED" };

/** Options that name the Spark of the nodes, so that none is uploaded. */
export const nodeSparkArgs = ["--conf", "spark.yarn.jars=local:/opt/spark/jars/*"];

/** Arguments of an application for which the nodes have a Spark. */
export const plainArgs = [...nodeSparkArgs, "--class", "Main", "app.jar"];

/** Returns the log without its times. */
export const logWithoutTimes = (host: TestHost) => host.errorText().replaceAll(/^\d\d\S+ \S+ /gm, "");
