import type { Host } from "../../host/host.ts";
import { undefinedIfForbidden } from "../../host/undefined-if-forbidden.ts";
import { listDistributions } from "../../spark/find-spark.ts";
import { isWantedVersion, readSparkHome } from "../../spark/spark-home.ts";

/** The Spark that a driver on this machine runs with. */
export interface DriverSpark {
  /** As it was named: links stay. */
  readonly home: string;
  /** From its jars, e.g. `4.3.0`. `undefined` if they show none. */
  readonly version: string | undefined;
}

/**
 * The Spark for a driver on this machine: SPARK_HOME whatever is in it, else the pyspark of the first python3 on PATH, else the newest in
 * our cache; of the last two only one of the wanted release or line. Nothing is installed.
 */
export function findDriverSpark(host: Host, expected: string | undefined): DriverSpark | undefined {
  const named = host.env["SPARK_HOME"];
  if (named !== undefined && named !== "")
    return { home: named, version: readSparkHome(host, named)?.version };
  const cached = listDistributions(host).filter(({ origin }) => origin === "cache");
  return [...pipDistributions(host), ...cached].find(({ version }) => isWantedVersion(version, expected));
}

/** Finds `pip install pyspark` installations without starting Python. */
function pipDistributions(host: Host) {
  const directory = (host.env["PATH"] ?? "")
    .split(":")
    .find(
      (path) => path !== "" && undefinedIfForbidden(() => host.files.info(`${path}/python3`)) !== undefined,
    );
  const roots = [
    ...(directory === undefined ? [] : [directory.replace(/\/+$/, "").replace(/\/[^/]*$/, "")]),
    `${host.user.home}/.local`,
  ];
  return roots.flatMap((root) =>
    pythonDirectories(host, `${root}/lib`).flatMap((path) => readSparkHome(host, `${path}/pyspark`) ?? []),
  );
}

function pythonDirectories(host: Host, lib: string): readonly string[] {
  const pythons = (undefinedIfForbidden(() => host.files.list(lib)) ?? []).filter((name) =>
    /^python3(?:\.\d+)?$/.test(name),
  );
  return pythons.flatMap((name) => [`${lib}/${name}/site-packages`, `${lib}/${name}/dist-packages`]);
}
