import { cacheDirectory } from "../host/cache-directory.ts";
import type { Host } from "../host/host.ts";
import type { Progress } from "../host/progress.ts";
import { installSpark } from "./install-spark.ts";
import { isWantedVersion, readSparkHome, type SparkHome } from "./spark-home.ts";

/** A distribution, and how we came to it. */
export interface LocalSpark extends SparkHome {
  readonly origin: "SPARK_HOME" | "cache";
}

/** Every distribution on this machine that we know of: SPARK_HOME first, then our cache, the newest first. */
export function listSparks(host: Host): readonly LocalSpark[] {
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

/** What is wrong with SPARK_HOME, when it is set and of no use. */
export function sparkHomeProblem(host: Host): string | undefined {
  const named = host.env["SPARK_HOME"];
  if (named === undefined || named === "" || readSparkHome(host, named) !== undefined) return undefined;
  return `SPARK_HOME (${named}) is not a Spark distribution: bin/spark-submit or jars/spark-core_*.jar is missing or may not be read; it is ignored.`;
}

/** What is wanted of a Spark. */
export interface SparkSearch {
  /** Release or line. @default any that is here */
  readonly wanted: string | undefined;
  /** The release to install when nothing here fits. */
  readonly install: string;
  readonly progress: Progress;
}

/**
 * A distribution that fits: SPARK_HOME, else our cache, else a new one in our cache.
 *
 * @throws SubmitError `SUBMIT_ERR_SPARK_INSTALL` when none can be had.
 */
export async function findSpark(host: Host, { wanted, install, progress }: SparkSearch): Promise<SparkHome> {
  const problem = sparkHomeProblem(host);
  if (problem !== undefined) progress.note(problem);
  const local = listSparks(host).find(({ version }) => isWantedVersion(version, wanted));
  return local ?? (await installSpark(host, { version: install, progress }));
}

function byVersionDescending(a: string, b: string): number {
  return b.localeCompare(a, "en", { numeric: true });
}
