import { isFinalPhase } from "../../../kube/pod-phase.ts";
import type { ContainerStatus, Pod } from "../../../kube/types.ts";
import { defaultDriverContainer } from "../../../plan/names.ts";

/** How a driver came to its end, as far as its pod tells. */
export type DriverEnd =
  | { readonly kind: "succeeded"; readonly pod: Pod }
  | {
      readonly kind: "failed";
      readonly pod: Pod;
      /** Of the driver's container; `undefined` when it never ran, e.g. after an eviction. */
      readonly exitCode: number | undefined;
      /** E.g. `OOMKilled`, `Error`, `Evicted`. */
      readonly reason: string | undefined;
      readonly message: string | undefined;
    }
  /** Somebody deleted the pod while it ran; this is what was last seen of it. */
  | { readonly kind: "deleted"; readonly pod: Pod }
  /** We stopped looking before there was an end. */
  | { readonly kind: "unknown"; readonly pod: Pod };

// How a container ends that Kubernetes stops: 128 and the number of the signal.
const sigterm = 143;
const sigkill = 137;

/** The end that a pod is in; `undefined` while it goes on. */
export function driverEnd(pod: Pod, container: string): DriverEnd | undefined {
  const { phase, reason, message, containerStatuses = [] } = pod.status ?? {};
  if (phase === "Succeeded") return { kind: "succeeded", pod };
  if (phase !== "Failed") return undefined;
  const terminated = driverStatus(containerStatuses, container)?.state?.terminated;
  const isKilled = terminated?.exitCode === sigterm || terminated?.exitCode === sigkill;
  if (pod.metadata?.deletionTimestamp !== undefined && isKilled) return { kind: "deleted", pod };
  return {
    kind: "failed",
    pod,
    exitCode: terminated?.exitCode,
    // The pod's own reason, e.g. Evicted, says more than that its container was killed.
    reason: reason ?? terminated?.reason,
    message: message ?? terminated?.message,
  };
}

/** Whether the driver's container has run, or never will. */
export function hasStarted(pod: Pod, container: string): boolean {
  const { phase, containerStatuses = [] } = pod.status ?? {};
  const { running, terminated } = driverStatus(containerStatuses, container)?.state ?? {};
  return running !== undefined || terminated !== undefined || isFinalPhase(phase);
}

/** The driver's container of a pod as it was sent: the last one. Webhooks may add others, before and behind it. */
export function driverContainerName({ spec }: Pod): string {
  return spec?.containers.at(-1)?.name ?? "";
}

/** The driver's container of a pod that somebody else may have sent: the one of Spark's default name, else the last. */
export function driverContainerOf(pod: Pod): string {
  const named = pod.spec?.containers.find(({ name }) => name === defaultDriverContainer);
  return named?.name ?? driverContainerName(pod);
}

/** The status of the driver's container among those of its pod; a pod of one container needs no name. */
export function driverStatus(
  statuses: readonly ContainerStatus[],
  container: string,
): ContainerStatus | undefined {
  return statuses.find(({ name }) => name === container) ?? (statuses.length === 1 ? statuses[0] : undefined);
}
