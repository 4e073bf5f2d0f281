import { volumes } from "../conf/entries/volumes.ts";
import type { Role } from "../conf/entry.ts";
import { type ParsedVolumes, parseVolumeSpecs } from "../conf/parse-volume-specs.ts";
import type { SparkConf } from "../conf/spark-conf.ts";

/**
 * Parses the volumes of a role from `spark.kubernetes.<role>.volumes.<type>.<name>.*`, sorted by type and name.
 *
 * Errors: those of `parseVolumeSpecs`.
 */
export function planVolumes(conf: SparkConf, role: Role): ParsedVolumes {
  // Most submissions have no volumes: the parser is loaded on demand.
  return conf.withPrefix(volumes[role]).size === 0 ? { specs: [], issues: [] } : parseVolumeSpecs(conf, volumes[role]);
}
