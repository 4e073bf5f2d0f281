/** Setting that chooses how shuffle data outlives executors, and the settings that each choice needs. */
import { optionalEntry } from "../entry.ts";
import { checked, list, oneOf } from "../kinds.ts";

/** Ways to keep the shuffle data of executors that dynamic allocation removes. */
export const shuffleProfiles = ["tracking", "decommission", "service", "plugin"] as const;

/** A way to keep shuffle data. */
export type ShuffleProfile = (typeof shuffleProfiles)[number];

export const shuffleProfile = optionalEntry(oneOf(shuffleProfiles), {
  key: "spark.firesteel.shuffle",
  doc: "Kind of storage with which shuffle data outlives executors on Kubernetes. Turns dynamic allocation on, with settings for `tracking`, `decommission`, `service` (the [shuffle service](shuffle-service.md)), or `plugin` (Apache Celeborn, Apache Uniffle, or another `ShuffleDataIO`).",
  since: "firesteel",
});

export const shuffleDirectories = optionalEntry(
  checked(
    list,
    (paths) => paths.length > 0 && paths.every((path) => /^\/[^:,]+$/.test(path)),
    "Must be absolute paths without colons.",
  ),
  {
    key: "spark.firesteel.shuffle.directories",
    doc: "Directories of the nodes for shuffle files, with `spark.firesteel.shuffle=service`. The shuffle service and the executors see them at the same paths. The default is `/var/lib/spark-local`.",
    since: "firesteel",
  },
);
