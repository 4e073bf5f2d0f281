import { firesteelSettings } from "../../conf/entries/firesteel.ts";
import type { Setting } from "../../conf/setting.ts";
import { type SparkVersion, traitsOf } from "../../conf/spark-version.ts";
import { printMessage } from "./print-message.ts";

/** Submission to a gateway. */
export interface RestSubmission {
  /** As a URI that the worker can read. */
  readonly resource: string;
  readonly mainClass: string;
  readonly appArgs: readonly string[];
  /** In the form of the driver's properties. */
  readonly settings: readonly Setting[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly version: SparkVersion;
}

/** Variables that are only valid on the submitter's machine. */
const homeVariables = ["SPARK_ENV_LOADED", "SPARK_HOME", "SPARK_CONF_DIR"];
const addressVariables = ["SPARK_LOCAL_IP", "SPARK_LOCAL_HOSTNAME"];

/**
 * The body of a `create`. Settings that steer the submission itself stay here.
 *
 * Source: Spark RestSubmissionClient.constructSubmitRequest; recorded with Spark 3.5.9 to 4.3.0.
 */
export function printCreateRequest(submission: RestSubmission): string {
  const { resource, mainClass, appArgs, settings, version } = submission;
  const own = settings.filter(({ key }) => !key.startsWith(firesteelSettings.prefix));
  return printMessage({
    action: "CreateSubmissionRequest",
    appArgs,
    appResource: resource,
    clientSparkVersion: version.text,
    environmentVariables: travellingVariables(submission),
    mainClass,
    sparkProperties: Object.fromEntries(own.map(({ key, value }) => [key, value])),
  });
}

function travellingVariables({ env, version }: RestSubmission): Readonly<Record<string, string>> {
  const { mesos, restKeepsLocalAddress } = traitsOf(version.line);
  const stays = [...homeVariables, ...(restKeepsLocalAddress ? addressVariables : [])];
  const prefixes = ["SPARK_", ...(mesos ? ["MESOS_"] : [])];
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => {
      const travels = prefixes.some((beginning) => name.startsWith(beginning)) && !stays.includes(name);
      return travels && value !== undefined ? [[name, value] as const] : [];
    }),
  );
}
