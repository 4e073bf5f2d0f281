import type { PodResources } from "../plan/pod-resources.ts";
import type { ContainerScalars } from "./step.ts";

/** Builds the requests and limits of a role's container. Custom resources have limits only, which Kubernetes also requests. */
export function resourceRequirements(resources: PodResources): NonNullable<ContainerScalars["resources"]> {
  const { cpuRequest, cpuLimit, memoryMiB, customLimits } = resources;
  const memory = `${memoryMiB}Mi`;
  return {
    requests: { cpu: cpuRequest, memory },
    limits: { ...(cpuLimit === undefined ? {} : { cpu: cpuLimit }), memory, ...customLimits },
  };
}
