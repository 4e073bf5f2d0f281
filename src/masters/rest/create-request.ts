import { firesteelSettings } from "../../conf/entries/firesteel.ts";
import { type SparkVersion, traitsOf } from "../../conf/spark-version.ts";
import type { Host } from "../../host/host.ts";
import type { ResolvedSubmission } from "../../resolve/resolve-submission.ts";
import { printMessage } from "./print-message.ts";
import type { RestApplication } from "./rest-application.ts";

// Variables that are only valid on the submitter's machine.
const homeVariables = ["SPARK_ENV_LOADED", "SPARK_HOME", "SPARK_CONF_DIR"];
const addressVariables = ["SPARK_LOCAL_IP", "SPARK_LOCAL_HOSTNAME"];

/**
 * Prints the body of a `create`, without the settings of Firesteel.
 *
 * Source: Spark RestSubmissionClient.constructSubmitRequest; recorded with Spark 3.5.9 to 4.3.0.
 */
export function printCreateRequest(
  { host, version }: ResolvedSubmission,
  { request, mainClass }: RestApplication,
): string {
  const { appResource, appArgs, conf } = request;
  const settings = conf.settings().filter(({ key }) => !key.startsWith(firesteelSettings.prefix));
  return printMessage({
    action: "CreateSubmissionRequest",
    appArgs,
    appResource: appResource.uri,
    clientSparkVersion: version.text,
    environmentVariables: forwardedVariables(host.env, version),
    mainClass,
    sparkProperties: Object.fromEntries(settings.map(({ key, value }) => [key, value])),
  });
}

function forwardedVariables(env: Host["env"], { line }: SparkVersion): Readonly<Record<string, string>> {
  const { mesos, restKeepsLocalAddress } = traitsOf(line);
  const excluded = [...homeVariables, ...(restKeepsLocalAddress ? addressVariables : [])];
  const prefixes = ["SPARK_", ...(mesos ? ["MESOS_"] : [])];
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => {
      const isForwarded = prefixes.some((prefix) => name.startsWith(prefix)) && !excluded.includes(name);
      return isForwarded && value !== undefined ? [[name, value] as const] : [];
    }),
  );
}
