import { useReadWriteOnceAccessMode, volumes } from "../conf/entries/volumes.ts";
import type { Role } from "../conf/entry.ts";
import { parseVolumeSpecs } from "../conf/parse-volume-specs.ts";
import type { SparkConf } from "../conf/spark-conf.ts";
import { type Issue, issuesOf } from "../errors/issue.ts";
import type { VolumeMount } from "../kube/types.ts";
import type { PodConf } from "../plan/driver-conf.ts";
import { contributeVolumes, mountsOfVolumes, volumeIssues } from "./mounted-volumes.ts";
import type { FeatureStep } from "./step.ts";

/** The volumes of `spark.kubernetes.<role>.volumes.…`, and the claims that are made for them. */
export const mountVolumes: FeatureStep = {
  name: "MountVolumesFeatureStep",
  check: checkExecutorVolumes,
  checkUse: checkVolumes,
  contribute: (pod) => (hasVolumes(pod.conf, pod.role) ? contributeVolumes(pod) : {}),
};

/** Mounts of the configured volumes in the container. */
export function volumeMounts(pod: PodConf): readonly VolumeMount[] {
  return hasVolumes(pod.conf, pod.role) ? mountsOfVolumes(pod) : [];
}

/** Executors get their volumes from the driver, which would only find out in the cluster what is wrong with them. */
function checkExecutorVolumes({ conf, role }: PodConf): readonly Issue[] {
  const isRequested = role === "driver" && hasVolumes(conf, "executor");
  return isRequested ? issuesOf(parseVolumeSpecs(conf, volumes.executor)) : [];
}

function checkVolumes(pod: PodConf): readonly Issue[] {
  const own = hasVolumes(pod.conf, pod.role) ? volumeIssues(pod) : [];
  return [...own, ...pod.conf.check([useReadWriteOnceAccessMode])];
}

/** Most submissions have no volumes, and need nothing that reads them. */
function hasVolumes(conf: SparkConf, role: Role): boolean {
  return conf.withPrefix(volumes[role]).size > 0;
}
