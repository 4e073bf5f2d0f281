import { localDir } from "../conf/entries/app.ts";
import { localDirsTmpfs } from "../conf/entries/volumes.ts";
import type { PodConf } from "../plan/driver-conf.ts";
import { excludedSteps } from "../plan/feature-steps.ts";
import { mountVolumes, volumeMounts } from "./mount-volumes.ts";
import type { Contribution, FeatureStep } from "./step.ts";

/** Scratch space: volumes that the user gave for it, else empty directories. */
export const localDirs: FeatureStep = {
  name: "LocalDirsFeatureStep",
  check: ({ conf }) => conf.check([localDirsTmpfs]),
  contribute: (pod) => {
    const mounted = mountedLocalDirs(pod);
    if (mounted.length > 0) return { env: [variable(mounted)] };
    return emptyDirectories(pod);
  },
};

const volumePrefix = "spark-local-dir-";

/** Read from where the mounts come from, not from what other steps made: their order must not matter. */
function mountedLocalDirs(pod: PodConf): readonly string[] {
  const given = excludedSteps(pod.conf, pod.role).has(mountVolumes.name) ? [] : volumeMounts(pod);
  return [...(pod.template?.container.volumeMounts ?? []), ...given]
    .filter(({ name }) => name.startsWith(volumePrefix))
    .map(({ mountPath }) => mountPath);
}

function emptyDirectories({ conf, facts }: PodConf): Contribution {
  const chosen =
    facts.env["SPARK_LOCAL_DIRS"] ?? conf.get(localDir) ?? `/var/data/spark-${facts.localDirUuid}`;
  const directories = splitAsJava(chosen);
  const emptyDir = conf.get(localDirsTmpfs) ? { medium: "Memory" } : {};
  const name = (index: number) => `${volumePrefix}${index + 1}`;
  return {
    volumes: directories.map((_, index) => ({ name: name(index), emptyDir })),
    mounts: directories.map((mountPath, index) => ({ name: name(index), mountPath })),
    env: [variable(directories)],
  };
}

function variable(directories: readonly string[]) {
  return { name: "SPARK_LOCAL_DIRS", value: directories.join(",") };
}

/** Java drops empty parts at the end, but not the only part of an empty text. */
function splitAsJava(text: string): readonly string[] {
  let kept = text;
  while (kept.endsWith(",")) kept = kept.slice(0, -1);
  return kept === "" && text !== "" ? [] : kept.split(",");
}
