import type { Host } from "../../host/host.ts";
import { undefinedIfForbidden } from "../../host/undefined-if-forbidden.ts";
import { listDistributions } from "../../spark/find-spark.ts";
import { matchesVersion, readSparkHome } from "../../spark/spark-home.ts";

/** The Spark that a driver on this machine runs with. */
export interface DriverSpark {
  /** As specified; symbolic links are not resolved. */
  readonly home: string;
  /** From the names of its jars, e.g. `4.3.0`; `undefined` if they have none. */
  readonly version: string | undefined;
}

/**
 * Finds the Spark of a local driver: SPARK_HOME with any version, then the pyspark of the first python3 on PATH, then the newest one in
 * Firesteel's cache. The last two must match the specified release or line. Installs nothing.
 */
export function findDriverSpark(host: Host, expected: string | undefined): DriverSpark | undefined {
  const named = host.env["SPARK_HOME"];
  if (named !== undefined && named !== "") return { home: named, version: readSparkHome(host, named)?.version };
  const cached = listDistributions(host).filter(({ origin }) => origin === "cache");
  return [...pipDistributions(host), ...cached].find(({ version }) => matchesVersion(version, expected));
}

/** Finds `pip install pyspark` installations without starting Python. */
function pipDistributions(host: Host) {
  const directory = directoryOnPath(host, "python3");
  const roots = [
    ...(directory === undefined ? [] : [directory.replace(/\/+$/, "").replace(/\/[^/]*$/, "")]),
    `${host.user.home}/.local`,
  ];
  return roots.flatMap((root) =>
    pythonDirectories(host, `${root}/lib`).flatMap((path) => readSparkHome(host, `${path}/pyspark`) ?? []),
  );
}

/** Returns the first directory of PATH that has a program. */
export function directoryOnPath({ env, files }: Host, program: string): string | undefined {
  const has = (directory: string) => undefinedIfForbidden(() => files.info(`${directory}/${program}`)) !== undefined;
  return (env["PATH"] ?? "").split(":").find((directory) => directory !== "" && has(directory));
}

function pythonDirectories(host: Host, lib: string): readonly string[] {
  const pythons = (undefinedIfForbidden(() => host.files.list(lib)) ?? []).filter((name) =>
    /^python3(?:\.\d+)?$/.test(name),
  );
  return pythons.flatMap((name) => [`${lib}/${name}/site-packages`, `${lib}/${name}/dist-packages`]);
}
