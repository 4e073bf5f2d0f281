import type { ModuleDescriptor, ModulePattern } from "./module-descriptor.ts";
import type { ModuleRevision } from "./module-revision.ts";
import type { Exclusion } from "./parse-coordinates.ts";

/** Modules that every Spark distribution contains. */
const sparkModules = [
  "catalyst_",
  "core_",
  "graphx_",
  "kvstore_",
  "launcher_",
  "mllib_",
  "mllib-local_",
  "network-common_",
  "network-shuffle_",
  "repl_",
  "sketch_",
  "sql_",
  "streaming_",
  "tags_",
  "unsafe_",
];

const alwaysExcluded: readonly ModulePattern[] = [
  { group: "*", artifact: "scala-library", isGlob: true },
  ...sparkModules.map((name) => ({ group: "org.apache.spark", artifact: `spark-${name}*`, isGlob: true })),
];

/** Builds the module at the graph's root, whose dependencies are the user's request, like Spark. */
export function requestDescriptor(
  coordinates: readonly ModuleRevision[],
  exclusions: readonly Exclusion[],
): ModuleDescriptor {
  return {
    id: { group: "org.apache.spark", artifact: "spark-submit-parent", version: "1.0" },
    configurations: new Map([["default", []]]),
    dependencies: coordinates.map((id) => ({
      id,
      isForced: false,
      isTransitive: true,
      mapping: new Map([["default", ["default(runtime)"]]]),
      artifacts: new Map(),
      exclusions: [],
    })),
    overrides: new Map(),
    artifacts: [],
    exclusions: [...alwaysExcluded, ...exclusions.map((one) => ({ ...one, isGlob: true }))],
  };
}
