import type { Pod, PodCondition } from "../../kube/types.ts";
import { summarizeApplication } from "../../masters/kubernetes/applications/application-summary.ts";
import { driverContainerOf, driverEnd, driverStatus } from "../../masters/kubernetes/watch/driver-end.ts";
import { parseInstant } from "../../values/instant.ts";
import type { ApplicationEnd, ApplicationRecord, ObservedDriver, ObservedExecutor } from "../model/application.ts";

/** Reason of the condition that Kueue gives a pod that it ends, for example to make room for a higher priority. */
const kueueEviction = "WorkloadEvicted";

/** State of a driver pod. */
export interface DriverState {
  readonly driver: ObservedDriver;
  readonly isRunning: boolean;
  /** Whether the cluster is ending it: an eviction, a preemption, or a lost node. */
  readonly isDisrupted: boolean;
  readonly end: ApplicationEnd | undefined;
}

/** Reads a driver pod. An end that a user requested is a kill, whatever its exit code. */
export function observeDriver(pod: Pod, record: Pick<ApplicationRecord, "killed">): DriverState {
  const container = driverContainerOf(pod);
  const { metadata = {}, status, spec } = pod;
  const running = driverStatus(pod, container)?.state?.running;
  const terminated = driverStatus(pod, container)?.state?.terminated;
  const scheduled = status?.conditions?.find(({ type }) => type === "PodScheduled");
  return {
    isDisrupted: status?.conditions?.some(isDisruption) ?? false,
    // Until the pod has ended, too, an application whose container has ended is not pending again.
    isRunning: (running ?? terminated) !== undefined && status?.phase === "Running",
    driver: {
      ...{ uid: metadata.uid ?? "", createdMs: parseInstant(metadata.creationTimestamp) ?? 0, container },
      scheduledMs: scheduled?.status === "True" ? parseInstant(scheduled.lastTransitionTime) : undefined,
      startedMs: parseInstant(running?.startedAt ?? terminated?.startedAt),
      ...{ nodeName: spec?.nodeName, podAddress: status?.podIP, reason: summarizeApplication(pod).reason },
      message: scheduled?.status === "False" ? scheduled.message : undefined,
    },
    end: endOf(pod, container, record),
  };
}

/** Returns whether a condition says that the cluster ends the pod. Kueue has a type of its own, with which it also marks failures. */
function isDisruption({ type, status, reason }: PodCondition): boolean {
  return (
    status === "True" && (type === "DisruptionTarget" || (type === "TerminationTarget" && reason === kueueEviction))
  );
}

function endOf(pod: Pod, container: string, { killed }: Pick<ApplicationRecord, "killed">): ApplicationEnd | undefined {
  const end = driverEnd(pod, container);
  if (end === undefined || (end.kind !== "succeeded" && end.kind !== "failed" && end.kind !== "deleted"))
    return undefined;
  const terminated = driverStatus(pod, container)?.state?.terminated;
  const state = end.kind === "succeeded" ? "succeeded" : killed === undefined ? "failed" : "killed";
  return {
    state,
    atMs: parseInstant(terminated?.finishedAt) ?? parseInstant(pod.metadata?.deletionTimestamp) ?? 0,
    exitCode: terminated?.exitCode,
    reason: end.kind === "failed" ? end.reason : end.kind === "deleted" ? "Deleted" : undefined,
    message: end.kind === "failed" ? end.message : undefined,
    hasStarted: terminated?.startedAt != null,
  };
}

const executorStates = new Map<string | undefined, ObservedExecutor["state"]>([
  ["Pending", "pending"],
  ["Running", "running"],
  ["Succeeded", "succeeded"],
  ["Failed", "failed"],
]);

/** Reads an executor pod. */
export function observeExecutor(
  { metadata = {}, status }: Pod,
  before: ObservedExecutor | undefined,
): ObservedExecutor {
  const [container] = status?.containerStatuses ?? [];
  const terminated = container?.state?.terminated;
  return {
    id: metadata.labels?.["spark-exec-id"] ?? "",
    podName: metadata.name ?? "",
    state: executorStates.get(status?.phase) ?? before?.state ?? "pending",
    createdMs: parseInstant(metadata.creationTimestamp) ?? 0,
    endedMs: parseInstant(terminated?.finishedAt) ?? before?.endedMs,
    reason: status?.reason ?? terminated?.reason ?? container?.state?.waiting?.reason ?? unscheduledReason(status),
  };
}

function unscheduledReason(status: Pod["status"]): string | undefined {
  return status?.conditions?.find(({ type, status: met }) => type === "PodScheduled" && met === "False")?.reason;
}

/** Keeps what describes a pod: thousands of complete pods would take much memory. */
export function reducePod({ metadata = {}, spec, status }: Pod): Pod {
  const { managedFields: _, annotations: __, ownerReferences: ___, ...kept } = metadata;
  const containers = spec?.containers.map(({ name }) => ({ name })) ?? [];
  const { nodeName } = spec ?? {};
  return {
    metadata: kept,
    spec: { containers, ...(nodeName !== undefined && { nodeName }) },
    ...(status !== undefined && { status }),
  };
}
