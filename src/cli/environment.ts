import { newestLine, newestRelease, type SparkVersion } from "../conf/spark-version.ts";
import type { Host } from "../host/host.ts";
import type { Invocation } from "../plan/invocation.ts";
import type { OpenEmbedded } from "../resolve/destination.ts";
import type { EmbeddedConnection } from "./embedded.ts";

/** What Spark's shell scripts do to the environment before Spark begins. */
export async function withLauncherEnvironment(host: Host): Promise<Host> {
  const { withSparkEnv } = await import("../resolve/spark-env.ts");
  return withSparkEnv(host);
}

/** What tells the version, of a command line. */
export type Given = Pick<Invocation, "settings">;

/** As far as the command line and the machine tell; files of settings are not read for it. */
export async function targetSparkVersion(
  host: Host,
  { settings: given }: Given = { settings: [] },
): Promise<SparkVersion> {
  const { resolveSparkVersion } = await import("../resolve/resolve-spark-version.ts");
  const settings = new Map(given.map((setting) => [setting.key, setting]));
  const spoken = resolveSparkVersion({ settings, env: host.env, localSpark: await localSpark(host) });
  return spoken.ok ? spoken.value : { line: newestLine, text: newestRelease(newestLine).text };
}

/** The version of SPARK_HOME, read when it is asked for. */
export async function localSpark(host: Host): Promise<() => string | undefined> {
  const home = host.env["SPARK_HOME"] ?? "";
  if (home === "") return () => undefined;
  const { readSparkHome } = await import("../spark/spark-home.ts");
  return () => readSparkHome(host, home)?.version;
}

/** Lends a way to the embedded cluster, and lets go of that cluster in the end. */
export async function withEmbedded<T>(
  host: Host,
  use: (open: OpenEmbedded, opened: () => EmbeddedConnection | undefined) => Promise<T>,
): Promise<T> {
  let embedded: EmbeddedConnection | undefined;
  const open: OpenEmbedded = async (options) => {
    const { openEmbedded } = await import("./embedded.ts");
    embedded = await openEmbedded(host, options);
    return embedded;
  };
  try {
    return await use(open, () => embedded);
  } finally {
    await embedded?.close();
  }
}
