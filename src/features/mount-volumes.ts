import { useReadWriteOnceAccessMode } from "../conf/entries/volumes.ts";
import { checkMountPaths } from "../conf/volume-spec.ts";
import { stepNames } from "../plan/feature-steps.ts";
import { contributeVolumes } from "./mounted-volumes.ts";
import type { FeatureStep } from "./step.ts";

/** The volumes of `spark.kubernetes.<role>.volumes.*`, their mounts, and the claims that are created for them. */
export const mountVolumes: FeatureStep = {
  name: stepNames.mountVolumes,
  check: ({ settingIssues }) => settingIssues.executorVolumes,
  checkUse: ({ conf, volumes, settingIssues }) => [
    ...settingIssues.volumes,
    ...checkMountPaths(volumes),
    ...conf.check([useReadWriteOnceAccessMode]),
  ],
  contribute: (pod) => (pod.volumes.length === 0 ? {} : contributeVolumes(pod)),
};
