import { isFinalPhase } from "../../../kube/pod-phase.ts";
import type { ContainerStatus, Pod } from "../../../kube/types.ts";
import { defaultDriverContainer } from "../../../plan/names.ts";
import type { DriverEnd } from "../../submit-outcome.ts";
import { driverContainerName } from "./driver-container.ts";

// Exit codes of containers that Kubernetes stops: 128 plus the number of the signal.
const sigterm = 143;
const sigkill = 137;

/** Returns the end of a driver from its pod; `undefined` if it has not ended. */
export function driverEnd(pod: Pod, container: string): DriverEnd | undefined {
  const { phase, reason, message } = pod.status ?? {};
  if (phase === "Succeeded") return { kind: "succeeded", pod };
  if (phase !== "Failed") return undefined;
  const terminated = driverStatus(pod, container)?.state?.terminated;
  const isKilled = terminated?.exitCode === sigterm || terminated?.exitCode === sigkill;
  if (pod.metadata?.deletionTimestamp !== undefined && isKilled) return { kind: "deleted", pod };
  return {
    kind: "failed",
    pod,
    exitCode: terminated?.exitCode,
    // The pod's own reason, for example Evicted, explains why its container was killed.
    reason: reason ?? terminated?.reason,
    message: message ?? terminated?.message,
  };
}

/** Returns whether the driver's container has started, or never will. */
export function hasStarted(pod: Pod, container: string): boolean {
  const { running, terminated } = driverStatus(pod, container)?.state ?? {};
  return running !== undefined || terminated !== undefined || isFinalPhase(pod.status?.phase);
}

/** Returns the name of the driver's container of an existing pod: the container with Spark's default name, otherwise the last. */
export function driverContainerOf(pod: Pod): string {
  const named = pod.spec?.containers.find(({ name }) => name === defaultDriverContainer);
  return named?.name ?? driverContainerName(pod);
}

/** Finds the status of the driver's container. If the pod has one container, its name does not matter. */
export function driverStatus({ status }: Pod, container: string): ContainerStatus | undefined {
  const statuses = status?.containerStatuses ?? [];
  return statuses.find(({ name }) => name === container) ?? (statuses.length === 1 ? statuses[0] : undefined);
}
