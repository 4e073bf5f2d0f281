import { cacheDirectory } from "../host/cache-directory.ts";
import type { Host } from "../host/host.ts";
import type { Progress } from "../host/progress.ts";
import { matchesVersion, readSparkHome, type SparkHome } from "./spark-home.ts";

/** Local distribution and its origin. */
interface LocalSpark extends SparkHome {
  readonly origin: "SPARK_HOME" | "cache";
}

/** Lists the known distributions on this machine: SPARK_HOME first, then the cache, the newest first. */
export function listDistributions(host: Host): readonly LocalSpark[] {
  const found: LocalSpark[] = [];
  const named = host.env["SPARK_HOME"];
  const fromEnvironment = named === undefined || named === "" ? undefined : readSparkHome(host, named);
  if (fromEnvironment !== undefined) found.push({ ...fromEnvironment, origin: "SPARK_HOME" });
  const root = `${cacheDirectory(host)}/spark`;
  for (const name of [...(host.files.list(root) ?? [])].sort(byVersionDescending)) {
    const cached = name.startsWith(".") ? undefined : readSparkHome(host, `${root}/${name}`);
    if (cached !== undefined && cached.home !== fromEnvironment?.home) {
      found.push({ ...cached, origin: "cache" });
    }
  }
  return found;
}

/** Describes what is wrong with SPARK_HOME, if it is set and unusable. */
export function sparkHomeProblem(host: Host): string | undefined {
  const named = host.env["SPARK_HOME"];
  if (named === undefined || named === "" || readSparkHome(host, named) !== undefined) return undefined;
  return `SPARK_HOME (${named}) is not a Spark distribution: bin/spark-submit or jars/spark-core_*.jar is missing or may not be read; it is ignored.`;
}

/** Requirements for a Spark distribution. */
interface SparkSearch {
  /** Release or line. @default any local one */
  readonly version: string | undefined;
  /** Release to install when no local one fits. */
  readonly install: string;
  readonly progress: Progress;
}

/**
 * Finds a fitting distribution: SPARK_HOME, Firesteel's cache, or a new one in the cache.
 *
 * @throws SubmitError `SUBMIT_ERR_SPARK_INSTALL` when none is available.
 */
export async function findSpark(
  host: Host,
  { version: requested, install, progress }: SparkSearch,
): Promise<SparkHome> {
  const problem = sparkHomeProblem(host);
  if (problem !== undefined) progress.note(problem);
  const local = listDistributions(host).find(({ version }) => matchesVersion(version, requested));
  if (local !== undefined) return local;
  const { installSpark } = await import("./install-spark.ts");
  return await installSpark(host, { version: install, progress });
}

function byVersionDescending(a: string, b: string): number {
  return b.localeCompare(a, "en", { numeric: true });
}
