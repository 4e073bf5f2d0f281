import { driverHost, driverPort } from "../conf/entries/driver.ts";
import * as executor from "../conf/entries/executor.ts";
import type { EnvVar } from "../kube/types.ts";
import type { ExecutorConf } from "../plan/executor-conf.ts";
import { javaModuleOptions } from "../plan/java-module-options.ts";
import { withExecutorIds } from "../plan/labels.ts";
import { parseOptionString } from "../values/option-string.ts";
import type { Contribution, ContributionPart } from "./step.ts";

/** Environment of an executor: its identity, the address of its driver, and the options of its JVM; in Spark's order. */
export const executorEnvironment: readonly ContributionPart<ExecutorConf>[] = [
  ({ facts }) => variables({ SPARK_USER: facts.env["SPARK_USER"] ?? facts.userName }),
  (pod) => variables({ SPARK_DRIVER_URL: driverUrl(pod) }),
  ({ resources }) => variables({ SPARK_EXECUTOR_CORES: String(resources.cores) }),
  ({ resources }) => variables({ SPARK_EXECUTOR_MEMORY: `${resources.heapMiB}m` }),
  ({ appId }) => variables({ SPARK_APPLICATION_ID: appId }),
  ({ executorId }) =>
    variables({
      SPARK_CONF_DIR: "/opt/spark/conf",
      SPARK_EXECUTOR_ID: executorId,
      SPARK_RESOURCE_PROFILE_ID: "0",
    }),
  (pod) => variables(pod.traits.executorVariables2025 ? logAttributes(pod) : {}),
  (pod) => variables(sharedSecret(pod)),
  (pod) => variables(specifiedVariables(pod)),
  ({ conf }) => variables({ SPARK_CLASSPATH: conf.get(executor.executorExtraClassPath) }),
  ({ conf, traits }) =>
    variables({
      SPARK_EXECUTOR_LIBRARY_PATH: traits.executorVariables2025
        ? conf.get(executor.executorExtraLibraryPath)
        : undefined,
    }),
  (pod) => ({ env: javaOptions(pod).map((value, index) => ({ name: `SPARK_JAVA_OPT_${index}`, value })) }),
  () => ({
    env: [
      fieldVariable("SPARK_EXECUTOR_POD_IP", "status.podIP"),
      fieldVariable("SPARK_EXECUTOR_POD_NAME", "metadata.name"),
    ],
  }),
];

/** Placeholder of the shared secret, which the driver generates on Kubernetes, whatever the settings are. */
const madeByDriver = "<made by the driver>";

function variables(values: Readonly<Record<string, string | undefined>>): Contribution {
  const env = Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [{ name, value }]));
  return { env };
}

function fieldVariable(name: string, fieldPath: string): EnvVar {
  return { name, valueFrom: { fieldRef: { apiVersion: "v1", fieldPath } } };
}

function driverUrl({ conf, traits, driverPodIp }: ExecutorConf): string {
  const chosen = traits.driverPodIpForExecutors;
  const usesIp = chosen !== undefined && (conf.get(executor.executorUseDriverPodIp) ?? chosen);
  const host = usesIp ? driverPodIp : (conf.get(driverHost) ?? "");
  return `spark://CoarseGrainedScheduler@${host}:${conf.get(driverPort)}`;
}

/** Values of the placeholders in a custom log URL. */
function logAttributes({ conf, appId, executorId }: ExecutorConf): Readonly<Record<string, string>> {
  return conf.has(executor.executorLogUrl)
    ? { SPARK_EXECUTOR_ATTRIBUTE_APP_ID: appId, SPARK_EXECUTOR_ATTRIBUTE_EXECUTOR_ID: executorId }
    : {};
}

function sharedSecret({ conf }: ExecutorConf): Readonly<Record<string, string>> {
  const isEmbedded = conf.get(executor.authenticateEnabled) && !conf.has(executor.authenticateExecutorSecretFile);
  return isEmbedded ? { _SPARK_AUTH_SECRET: madeByDriver } : {};
}

/** Drops variable names that Kubernetes rejects, as the driver does with a warning. */
function specifiedVariables({ conf, appId, executorId }: ExecutorConf): Readonly<Record<string, string>> {
  const valid = [...conf.withPrefix(executor.executorEnv)].filter(([name]) =>
    /^[-._a-zA-Z][-._a-zA-Z0-9]*$/.test(name),
  );
  const replaceIds = (value: string) =>
    value.replaceAll("SPARK_APPLICATION_ID", appId).replaceAll("SPARK_EXECUTOR_ID", executorId);
  return Object.fromEntries(
    valid.map(([name, value]) => [name, name === "SPARK_EXECUTOR_DIRS" ? replaceIds(value) : value]),
  );
}

/** Lists the Java options: defaults, Spark's own, the user's. Source: Spark SparkContext.supplementJavaModuleOptions. */
function javaOptions(pod: ExecutorConf): readonly string[] {
  const { conf, traits } = pod;
  const defaults = conf.get(executor.executorDefaultJavaOptions) ?? "";
  const again = traits.repeatsDefaultJavaOptions ? defaults : "";
  const options = [
    defaults,
    "-Djava.net.preferIPv6Addresses=false",
    again,
    ...javaModuleOptions(conf.version.line),
    again,
    conf.get(executor.executorExtraJavaOptions) ?? "",
  ].join(" ");
  const startup = conf
    .settings()
    .filter(({ key }) => executor.isExecutorStartupKey(key))
    .map(({ key, value }) => `-D${key}=${value}`);
  return [...splitOptions(withExecutorIds(options, pod)), ...startup];
}

/** Splits options: without quotes at once, because Spark's own are a long text. */
function splitOptions(text: string): readonly string[] {
  const isPlain = !/["'\\]/.test(text);
  return isPlain ? text.split(/\s+/u).filter((option) => option !== "") : (parseOptionString(text) ?? []);
}
