import type { Host } from "../host/host.ts";
import { undefinedIfForbidden } from "../host/undefined-if-forbidden.ts";

/** Spark distribution on this machine. */
export interface SparkHome {
  /** Absolute path. */
  readonly home: string;
  /** From its jars, e.g. `4.3.0`. */
  readonly version: string;
}

/** Reads the distribution in a directory. `undefined` if it lacks `bin/spark-submit` or `jars/spark-core_*.jar`, or is not readable. */
export function readSparkHome(host: Host, path: string): SparkHome | undefined {
  return undefinedIfForbidden(() => readHome(host, path));
}

function readHome(host: Host, path: string): SparkHome | undefined {
  const home = host.files.realPath(path);
  if (home === undefined || host.files.info(`${home}/bin/spark-submit`)?.kind !== "file") return undefined;
  for (const name of host.files.list(`${home}/jars`) ?? []) {
    const version = /^spark-core_[\d.]+-(.+)\.jar$/.exec(name)?.[1];
    if (version !== undefined) return { home, version };
  }
  return undefined;
}

/** Returns whether a version is the expected release (`4.3.0`) or of the expected line (`4.3`). */
export function matchesVersion(version: string, expected: string | undefined): boolean {
  return expected === undefined || version === expected || version.startsWith(`${expected}.`);
}
