import type { PodConf } from "../plan/driver-conf.ts";
import type { Contribution, ContributionPart } from "./step.ts";

/** Requests and limits of a role's container. Custom resources have limits only, which Kubernetes also requests. */
export const resourceRequirements: readonly ContributionPart<PodConf>[] = [
  ({ resources: { cpuRequest } }) => required({ requests: { cpu: cpuRequest } }),
  ({ resources: { cpuLimit } }) => (cpuLimit === undefined ? {} : required({ limits: { cpu: cpuLimit } })),
  ({ resources: { memoryMiB } }) => {
    const memory = `${memoryMiB}Mi`;
    return required({ requests: { memory }, limits: { memory } });
  },
  ({ resources: { customLimits } }) =>
    Object.keys(customLimits).length === 0 ? {} : required({ limits: customLimits }),
];

function required(resources: NonNullable<NonNullable<Contribution["container"]>["resources"]>): Contribution {
  return { container: { resources } };
}
