import type { Host } from "../host/host.ts";
import { unlessForbidden } from "../host/unless-forbidden.ts";

/** A Spark distribution on this machine. */
export interface SparkHome {
  /** Absolute path. */
  readonly home: string;
  /** As its jars tell, e.g. `4.3.0`. */
  readonly version: string;
}

/** The distribution in a folder; `undefined` when it lacks `bin/spark-submit` or `jars/spark-core_*.jar`, or may not be read. */
export function readSparkHome(host: Host, path: string): SparkHome | undefined {
  return unlessForbidden(() => readHome(host, path));
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

/** Whether a version is the wanted release (`4.3.0`) or of the wanted line (`4.3`). */
export function isWantedVersion(version: string, wanted: string | undefined): boolean {
  return wanted === undefined || version === wanted || version.startsWith(`${wanted}.`);
}
