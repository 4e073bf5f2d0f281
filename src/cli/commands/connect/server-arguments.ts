import { jarsPackages } from "../../../conf/entries/app.ts";
import { firesteelKillOnInterrupt } from "../../../conf/entries/firesteel.ts";
import { waitAppCompletion } from "../../../conf/entries/watching.ts";
import { newestRelease } from "../../../conf/spark-version.ts";
import { orThrow, submitError } from "../../../errors/submit-error.ts";
import type { Host } from "../../../host/host.ts";
import { connectServerResource } from "../../../masters/kubernetes/connect-server/server-step.ts";
import type { CommandLineSettings } from "../../../plan/invocation.ts";
import { readSettings } from "../../../resolve/read-settings.ts";
import { resolveField } from "../../../resolve/resolve-field.ts";
import { resolveSparkVersion } from "../../../resolve/resolve-spark-version.ts";
import { specifiedOrEmbeddedMaster } from "../../default-master.ts";
import { localSpark } from "../../environment.ts";
import { parseCommandLineSettings } from "../../parse-command-line-settings.ts";

/** Submission of a Spark Connect server. */
interface ServerArguments {
  readonly master: string;
  /** Arguments of spark-submit. */
  readonly argv: readonly string[];
}

/**
 * Builds the arguments of spark-submit for a Spark Connect server.
 *
 * @param args options of spark-submit
 * @throws SUBMIT_ERR_CONNECT_MASTER, SUBMIT_ERR_SPARK_VERSION, SUBMIT_ERR_ARG_…
 */
export async function serverArguments(
  host: Host,
  args: readonly string[],
  idleSeconds: number,
): Promise<ServerArguments> {
  const commandLine = parseCommandLineSettings(args);
  const hasProfile = commandLine.fields.profile !== undefined;
  const master = hasProfile ? "" : await specifiedOrEmbeddedMaster(host, commandLine);
  if (!hasProfile && !master.startsWith("k8s:")) throw submitError("SUBMIT_ERR_CONNECT_MASTER", { master });
  const argv = [
    // The user's options take precedence.
    ...["--name", "spark-connect", "--conf", `${firesteelKillOnInterrupt.key}=true`, ...args],
    ...(hasProfile ? [] : ["--master", master]),
    ...["--deploy-mode", "cluster", "--conf", `${waitAppCompletion.key}=true`],
    ...(await packageArguments(host, commandLine)),
    ...[connectServerResource, `${idleSeconds}`],
  ];
  return { master, argv };
}

/** Returns the package of the server for Spark 3.5, whose distribution does not contain it, with the user's packages. */
async function packageArguments(host: Host, commandLine: CommandLineSettings): Promise<readonly string[]> {
  const { settings } = readSettings(host, commandLine);
  const { env } = host;
  const version = orThrow(resolveSparkVersion({ settings, env, localSpark: await localSpark(host) }));
  if (version.line !== "3.5") return [];
  const specified = resolveField("packages", { commandLine, settings, env })?.value ?? "";
  if (specified.includes("org.apache.spark:spark-connect_")) return [];
  const server = `org.apache.spark:spark-connect_${newestRelease("3.5").scala}:${version.text}`;
  return ["--conf", `${jarsPackages.key}=${[specified, server].filter((text) => text !== "").join(",")}`];
}
