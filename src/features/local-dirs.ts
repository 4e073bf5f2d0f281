import { localDir } from "../conf/entries/app.ts";
import { localDirsTmpfs } from "../conf/entries/volumes.ts";
import type { PodConf } from "../plan/driver-conf.ts";
import { excludedSteps, stepNames } from "../plan/feature-steps.ts";
import type { Contribution, FeatureStep } from "./step.ts";

/** Scratch space of Spark: the volumes named `spark-local-dir-*`, else empty directories. */
export const localDirs: FeatureStep = {
  name: "LocalDirsFeatureStep",
  check: ({ conf }) => conf.check([localDirsTmpfs]),
  contribute: (pod) => {
    const mounted = mountedLocalDirs(pod);
    return mounted.length > 0 ? { env: [variable(mounted)] } : emptyDirectories(pod);
  },
};

const volumePrefix = "spark-local-dir-";

/** Finds the mounts in the template and the plan, not in the output of other steps: the order of steps must not matter. */
function mountedLocalDirs({ conf, role, template, volumes }: PodConf): readonly string[] {
  const isMounted = !excludedSteps(conf, role).has(stepNames.mountVolumes);
  return [...(template?.container.volumeMounts ?? []), ...(isMounted ? volumes : [])]
    .filter(({ name }) => name.startsWith(volumePrefix))
    .map(({ mountPath }) => mountPath);
}

function emptyDirectories({ conf, facts }: PodConf): Contribution {
  const chosen = facts.env["SPARK_LOCAL_DIRS"] ?? conf.get(localDir) ?? `/var/data/spark-${facts.localDirUuid}`;
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

/** Splits as Java does: drops empty parts at the end, except the only part of an empty text. */
function splitAsJava(text: string): readonly string[] {
  let kept = text;
  while (kept.endsWith(",")) kept = kept.slice(0, -1);
  return kept === "" && text !== "" ? [] : kept.split(",");
}
