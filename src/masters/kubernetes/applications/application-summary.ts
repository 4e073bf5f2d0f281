import type { ContainerStatus, Pod } from "../../../kube/types.ts";
import { appNameLabelKey, appSelectorLabel } from "../../../plan/labels.ts";
import { driverContainerOf, driverStatus } from "../watch/driver-end.ts";

/** States of an application, by its driver. `deleting`: its pod is being deleted. `unknown`: its node does not report. */
export const applicationStates = ["pending", "running", "succeeded", "failed", "deleting", "unknown"] as const;

/**
 * State of an application.
 *
 * @example
 * ```ts
 * const hasEnded = (state: ApplicationState) => state === "succeeded" || state === "failed";
 * ```
 */
export type ApplicationState = (typeof applicationStates)[number];

/**
 * An application with a driver in a cluster, in short. Times are as in the API (RFC 3339).
 *
 * @example
 * ```ts
 * const idsOf = (applications: readonly ApplicationSummary[]) => applications.map(({ submissionId }) => submissionId);
 * ```
 */
export interface ApplicationSummary {
  /** `namespace:pod`. */
  readonly submissionId: string;
  readonly namespace: string;
  readonly podName: string;
  readonly appId: string | undefined;
  /** As in the label `spark-app-name`. */
  readonly appName: string;
  readonly state: ApplicationState;
  /** Reason of the state, e.g. `Unschedulable`, `ImagePullBackOff`, `OOMKilled`. */
  readonly reason: string | undefined;
  readonly exitCode: number | undefined;
  /** Owner of the driver's pod, `Kind/name`, else the user who submitted it. */
  readonly owner: string | undefined;
  readonly createdAt: string | undefined;
  readonly endedAt: string | undefined;
}

/** Summarizes an application by its driver's pod. */
export function summarizeApplication(pod: Pod): ApplicationSummary {
  const { namespace = "", name = "", labels = {}, creationTimestamp } = pod.metadata ?? {};
  const terminated = driverStatus(pod, driverContainerOf(pod))?.state?.terminated;
  return {
    ...{ submissionId: `${namespace}:${name}`, namespace, podName: name },
    ...{ appId: labels[appSelectorLabel], appName: labels[appNameLabelKey] ?? name },
    ...{ state: applicationState(pod), reason: stateReason(pod), exitCode: terminated?.exitCode },
    ...{ owner: ownerOf(pod), createdAt: creationTimestamp, endedAt: terminated?.finishedAt },
  };
}

/** Returns the state of an application by its driver's pod. */
export function applicationState({ metadata, status }: Pod): ApplicationState {
  switch (status?.phase) {
    case "Succeeded":
      return "succeeded";
    case "Failed":
      return "failed";
    case "Unknown":
      return "unknown";
    default:
      if (metadata?.deletionTimestamp !== undefined) return "deleting";
      return status?.phase === "Running" ? "running" : "pending";
  }
}

function stateReason(pod: Pod): string | undefined {
  const { status } = pod;
  const own = driverStatus(pod, driverContainerOf(pod));
  // The pod's own reason, for example Evicted, explains why its container was killed.
  const ended = status?.reason ?? own?.state?.terminated?.reason;
  if (status?.phase === "Succeeded" || status?.phase === "Running") return own?.state?.waiting?.reason;
  if (ended !== undefined) return ended;
  const unmet = status?.conditions?.find(({ type, status: met }) => type === "PodScheduled" && met === "False");
  return unmet?.reason ?? initReason(status?.initContainerStatuses ?? []) ?? own?.state?.waiting?.reason;
}

/** Returns the reason why an init container waits or has failed. */
function initReason(statuses: readonly ContainerStatus[]): string | undefined {
  const current = statuses.find(({ state }) => state?.terminated?.exitCode !== 0);
  const reason = current?.state?.waiting?.reason ?? current?.state?.terminated?.reason;
  return reason === "PodInitializing" ? undefined : reason;
}

/** Spark names the submitting user in this variable. */
const userVariable = "SPARK_USER";

function ownerOf(pod: Pod): string | undefined {
  const controller = pod.metadata?.ownerReferences?.find((reference) => reference.controller === true);
  if (controller !== undefined) return `${controller.kind}/${controller.name}`;
  const container = pod.spec?.containers.find(({ name }) => name === driverContainerOf(pod));
  return container?.env?.find(({ name }) => name === userVariable)?.value;
}
