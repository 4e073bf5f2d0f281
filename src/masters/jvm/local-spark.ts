import type { Host } from "../../host/host.ts";
import { undefinedIfForbidden } from "../../host/unless-forbidden.ts";
import { listSparks } from "../../spark/find-spark.ts";
import { isWantedVersion, readSparkHome } from "../../spark/spark-home.ts";

/** The Spark that a driver on this machine runs with. */
export interface DriverSpark {
  /** As it was named: links stay. */
  readonly home: string;
  /** As its jars tell, e.g. `4.3.0`; `undefined` where they do not. */
  readonly version: string | undefined;
}

/**
 * The Spark for a driver on this machine: SPARK_HOME whatever is in it, else the pyspark of the first python3 on PATH, else the newest in
 * our cache; of the last two only one of the wanted release or line. Nothing is installed.
 */
export function findDriverSpark(host: Host, wanted: string | undefined): DriverSpark | undefined {
  const named = host.env["SPARK_HOME"];
  if (named !== undefined && named !== "")
    return { home: named, version: readSparkHome(host, named)?.version };
  const cached = listSparks(host).filter(({ origin }) => origin === "cache");
  return [...pipSparks(host), ...cached].find(({ version }) => isWantedVersion(version, wanted));
}

/** What `pip install pyspark` left, found without starting Python. */
function pipSparks(host: Host) {
  const folder = (host.env["PATH"] ?? "")
    .split(":")
    .find(
      (path) => path !== "" && undefinedIfForbidden(() => host.files.info(`${path}/python3`)) !== undefined,
    );
  const roots = [
    ...(folder === undefined ? [] : [folder.replace(/\/+$/, "").replace(/\/[^/]*$/, "")]),
    `${host.user.home}/.local`,
  ];
  return roots.flatMap((root) =>
    pythonFolders(host, `${root}/lib`).flatMap((path) => readSparkHome(host, `${path}/pyspark`) ?? []),
  );
}

function pythonFolders(host: Host, lib: string): readonly string[] {
  const pythons = (undefinedIfForbidden(() => host.files.list(lib)) ?? []).filter((name) =>
    /^python3(?:\.\d+)?$/.test(name),
  );
  return pythons.flatMap((name) => [`${lib}/${name}/site-packages`, `${lib}/${name}/dist-packages`]);
}
