import type { ContainerState, ContainerStatus, Pod } from "../../../kube/types.ts";
import { appNameLabelKey, appSelectorLabel } from "../../../plan/labels.ts";
import { driverContainerOf, driverStatus } from "../watch/driver-end.ts";

/**
 * Prints drivers as one JSON object with a list `drivers`.
 *
 * Shape of a driver: `{"submissionId": "ns:pod", "namespace", "podName", "appId", "appName", "phase", "reason",
 * "message", "createdAt", "startedAt", "deletedAt", "node", "exitCode", "containers": [{"name", "image", "state", "reason",
 * "message", "exitCode", "startedAt", "finishedAt"}]}`. Unknown fields are null. `exitCode` is that of the driver's
 * container; `reason` and `message` are those of the pod, else of that container. Times are as in the API.
 */
export function printDriversJson(pods: readonly Pod[]): string {
  return `${JSON.stringify({ drivers: pods.map(toDriver) }, undefined, 2)}\n`;
}

function toDriver(pod: Pod) {
  const { metadata, spec, status } = pod;
  const containers = (status?.containerStatuses ?? []).map(toContainer);
  const ownStatus = driverStatus(pod, driverContainerOf(pod));
  const driver = ownStatus === undefined ? undefined : toContainer(ownStatus);
  return {
    submissionId: `${metadata?.namespace}:${metadata?.name}`,
    namespace: orNull(metadata?.namespace),
    podName: orNull(metadata?.name),
    appId: orNull(metadata?.labels?.[appSelectorLabel]),
    appName: orNull(metadata?.labels?.[appNameLabelKey]),
    phase: orNull(status?.phase),
    reason: orNull(status?.reason ?? driver?.reason),
    message: orNull(status?.message ?? driver?.message),
    createdAt: orNull(metadata?.creationTimestamp),
    startedAt: orNull(status?.startTime),
    deletedAt: orNull(metadata?.deletionTimestamp),
    node: orNull(spec?.nodeName),
    exitCode: orNull(driver?.exitCode),
    containers,
  };
}

function toContainer({ name, image, state }: ContainerStatus) {
  return { name, image, ...toState(state ?? {}) };
}

function toState({ running, terminated, waiting }: ContainerState) {
  const kind = running ? "running" : terminated ? "terminated" : waiting ? "waiting" : undefined;
  return {
    state: orNull(kind),
    reason: orNull(terminated?.reason ?? waiting?.reason),
    message: orNull(terminated?.message ?? waiting?.message),
    exitCode: orNull(terminated?.exitCode),
    startedAt: orNull(running?.startedAt ?? terminated?.startedAt),
    finishedAt: orNull(terminated?.finishedAt),
  };
}

/** Replaces `undefined`, which JSON omits, by null, so that every driver has the same fields. */
function orNull<T>(value: T | undefined): T | null {
  return value ?? null;
}
