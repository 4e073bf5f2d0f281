import { createHash } from "node:crypto";
import { cacheDirectory } from "../host/cache-directory.ts";
import type { Host } from "../host/host.ts";

/** Spark distribution and the Java that runs it. */
export interface SparkRuntime {
  readonly version: string;
  /** Directory of the distribution. */
  readonly home: string;
  readonly javaHome: string;
}

/** Differs between releases whose `images/spark` write other files beside the archive or read them in another way. */
const format = 2;

/** Whether this machine's Spark uses class data archives; `FIRESTEEL_CLASS_SHARING=off` switches them off. */
export function sharesClasses({ env }: Pick<Host, "env">): boolean {
  return env["FIRESTEEL_CLASS_SHARING"] !== "off";
}

/**
 * Returns the directory of the class data archive of a Spark in the cache, whether it exists or not. Other jars or another Java
 * give another directory, because Java rejects the archive of others.
 *
 * Source: Java's `-XX:SharedArchiveFile` (JEP 350), which compares the sizes and times of the jars.
 */
export function classArchiveDirectory(host: Host, { version, home, javaHome }: SparkRuntime): string {
  const { files } = host;
  const jars = [...(files.list(`${home}/jars`) ?? [])].sort().map((name) => {
    const { sizeBytes, modifiedMs } = files.info(`${home}/jars/${name}`) ?? {};
    return [name, sizeBytes, modifiedMs];
  });
  const java = [javaHome, files.readText(`${javaHome}/release`), files.info(`${javaHome}/lib/modules`)?.modifiedMs];
  const hash = createHash("sha256")
    .update(JSON.stringify([format, home, jars, java]))
    .digest("hex");
  return `${classArchives(host)}/${version}-${hash.slice(0, 12)}`;
}

/** Returns the directory of all class data archives. */
export function classArchives(host: Host): string {
  return `${cacheDirectory(host)}/class-sharing`;
}

/** Whether a directory contains a finished archive. */
export function hasClassArchive({ files }: Host, directory: string): boolean {
  return files.info(`${directory}/spark.jsa`)?.kind === "file";
}
