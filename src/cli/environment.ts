import { newestLine, newestRelease, type SparkVersion } from "../conf/spark-version.ts";
import { isSubmitError } from "../errors/submit-error.ts";
import type { Host } from "../host/host.ts";
import type { Invocation } from "../plan/invocation.ts";
import type { OpenEmbedded } from "../resolve/destination.ts";
import { resolveSparkVersion } from "../resolve/resolve-spark-version.ts";
import { withSparkEnv } from "../resolve/spark-env.ts";
import { readSparkHome } from "../spark/spark-home.ts";
import type { EmbeddedConnection } from "./embedded.ts";

/** Returns the host with the environment that Spark's shell scripts prepare before Spark starts. */
export async function withLauncherEnvironment(host: Host): Promise<Host> {
  return withSparkEnv(host);
}

/** Settings of a command line that can determine the Spark version. */
export type VersionSettings = Pick<Invocation, "settings">;

/** Returns the Spark version to emulate, from the command line and this machine; without reading properties files. */
export async function targetSparkVersion(
  host: Host,
  commandLine: VersionSettings = { settings: [] },
): Promise<SparkVersion> {
  const settings = new Map(commandLine.settings.map((setting) => [setting.key, setting]));
  const version = resolveSparkVersion({ settings, env: host.env, localSpark: await localSpark(host) });
  return version.ok ? version.value : { line: newestLine, text: newestRelease(newestLine).text };
}

/** Returns a function that reads the version of the Spark in SPARK_HOME. */
export async function localSpark(host: Host): Promise<() => string | undefined> {
  const home = host.env["SPARK_HOME"] ?? "";
  if (home === "") return () => undefined;
  return () => readSparkHome(host, home)?.version;
}

/** Calls a function that can open the embedded cluster, and closes the connection at the end. */
export async function withEmbedded<T>(
  host: Host,
  use: (open: OpenEmbedded, opened: () => EmbeddedConnection | undefined) => Promise<T>,
): Promise<T> {
  let embedded: EmbeddedConnection | undefined;
  const open: OpenEmbedded = async (options) => {
    const { openEmbedded } = await import("./embedded.ts");
    embedded ??= await openEmbedded(host, options);
    return embedded;
  };
  try {
    return await use(open, () => embedded);
  } catch (error) {
    // Most errors need no hint about a cluster, and no code for it.
    const needsHint = isSubmitError(error) && (embedded || error.issues.some(({ code }) => code.includes("IMAGE")));
    if (!needsHint) throw error;
    const { withClusterHints } = await import("./with-cluster-hints.ts");
    throw withClusterHints(host, error, embedded);
  } finally {
    await embedded?.close();
  }
}
