import type { Host } from "../host/host.ts";
import { undefinedIfForbidden } from "../host/undefined-if-forbidden.ts";

/** Java installation on this machine. */
export interface JavaHome {
  /** Absolute path; `bin/java` is below it. */
  readonly home: string;
  /** From its `release` file, e.g. `17.0.15`. */
  readonly version: string;
  /** E.g. 17. */
  readonly major: number;
}

/**
 * Reads the Java in a directory. `undefined` if it lacks `bin/java` or the file `release`, which every Java since 9
 * has, or is not readable.
 */
export function readJavaHome(host: Host, path: string): JavaHome | undefined {
  return undefinedIfForbidden(() => readHome(host, path));
}

function readHome(host: Host, path: string): JavaHome | undefined {
  const home = host.files.realPath(path);
  if (home === undefined || host.files.info(`${home}/bin/java`)?.kind !== "file") return undefined;
  const release = host.files.readText(`${home}/release`) ?? "";
  const version = /^JAVA_VERSION="([^"]+)"/m.exec(release)?.[1];
  if (version === undefined) return undefined;
  const [first = "", second = ""] = version.split(/[._+-]/);
  return { home, version, major: Number(first === "1" ? second : first) };
}
