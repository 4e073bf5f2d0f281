import { newestLine, type SparkLine } from "../conf/spark-version.ts";
import type { Host } from "../host/host.ts";
import type { OpenEmbedded } from "../submit/resolve/enter-embedded.ts";
import type { EmbeddedConnection } from "./embedded.ts";

/** What Spark's shell scripts do to the environment before Spark begins. */
export async function withLauncherScripts(host: Host): Promise<Host> {
  const { withSparkEnv } = await import("../submit/resolve/spark-env.ts");
  return withSparkEnv(host);
}

/** The line of Spark that a program speaks for, as far as its words do not say. */
export async function surroundingLine(host: Host): Promise<SparkLine> {
  const { spokenVersion } = await import("../submit/resolve/spoken-version.ts");
  const { env } = host;
  const spoken = spokenVersion({ settings: new Map(), env, localSpark: await localSpark(host) });
  return spoken.ok ? spoken.value.line : newestLine;
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
