import { isFinalPhase } from "../../../kube/pod-phase.ts";
import type { ContainerStatus } from "../../../kube/types.ts";
import type { PodObject } from "../kinds/pod-object.ts";
import { ageColumn, type Column, column, duration, nameColumn, orNone, wide } from "./column.ts";

/** The columns of pods. */
export const podColumns: readonly Column<PodObject>[] = [
  nameColumn,
  column("Ready", ({ spec, status }) => {
    const ready = (status.containerStatuses ?? []).filter((container) => container.ready && container.state?.running);
    return `${ready.length}/${(spec.containers ?? []).length}`;
  }),
  column("Status", podStatus),
  column("Restarts", restarts),
  ageColumn,
  wide("IP", ({ status }) => orNone(status.podIPs?.[0]?.ip ?? status.podIP)),
  wide("Node", ({ spec }) => orNone(spec.nodeName)),
  wide("Nominated Node", ({ status }) => orNone(status.nominatedNodeName)),
  wide("Readiness Gates", ({ spec, status }) => {
    const gates = spec.readinessGates ?? [];
    const met = gates.filter(({ conditionType }) =>
      (status.conditions ?? []).some((one) => one.type === conditionType && one.status === "True"),
    );
    return gates.length === 0 ? "<none>" : `${met.length}/${gates.length}`;
  }),
];

/** Returns the status that kubectl shows: from the phase and the container states. */
export function podStatus(pod: PodObject): string {
  const { status, metadata, spec } = pod;
  const gated = (status.conditions ?? []).some(
    (one) => one.type === "PodScheduled" && one.reason === "SchedulingGated",
  );
  const phase = gated ? "SchedulingGated" : (status.reason ?? "") || (status.phase ?? "");
  const initial = initStatus(pod);
  const text = initial ?? mainStatus(pod, phase);
  if (metadata.deletionTimestamp === undefined) return text;
  if (status.reason === "NodeLost") return "Unknown";
  return isFinalPhase(status.phase) && spec.nodeName !== undefined ? text : "Terminating";
}

function initStatus({ status, spec }: PodObject): string | undefined {
  const sidecars = new Set(
    (spec.initContainers ?? [])
      .filter((one) => "restartPolicy" in one && one.restartPolicy === "Always")
      .map(({ name }) => name),
  );
  for (const [index, container] of (status.initContainerStatuses ?? []).entries()) {
    const { terminated, waiting } = container.state ?? {};
    if (terminated?.exitCode === 0) continue;
    if (sidecars.has(container.name) && container.started === true) continue;
    if (terminated !== undefined) return `Init:${endText(terminated)}`;
    if (waiting?.reason !== undefined && waiting.reason !== "" && waiting.reason !== "PodInitializing") {
      return `Init:${waiting.reason}`;
    }
    return `Init:${index}/${(spec.initContainers ?? []).length}`;
  }
  return undefined;
}

function mainStatus({ status }: PodObject, phase: string): string {
  let text = phase;
  let hasRunning = false;
  for (const container of (status.containerStatuses ?? []).toReversed()) {
    const { terminated, waiting, running } = container.state ?? {};
    if (waiting?.reason !== undefined && waiting.reason !== "") text = waiting.reason;
    else if (terminated !== undefined) text = endText(terminated);
    else if (container.ready && running !== undefined) hasRunning = true;
  }
  if (text !== "Completed" || !hasRunning) return text;
  const isReady = (status.conditions ?? []).some((one) => one.type === "Ready" && one.status === "True");
  return isReady ? "Running" : "NotReady";
}

function endText(terminated: NonNullable<NonNullable<ContainerStatus["state"]>["terminated"]>): string {
  if ((terminated.reason ?? "") !== "") return terminated.reason ?? "";
  return (terminated.signal ?? 0) !== 0 ? `Signal:${terminated.signal}` : `ExitCode:${terminated.exitCode}`;
}

function restarts({ spec, status }: PodObject, now: number): string {
  const isInitialized = (status.conditions ?? []).some(
    ({ type, status: is }) => type === "Initialized" && is === "True",
  );
  // Ignore restarts of init containers after initialization.
  const sidecars = (spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === "Always");
  const inits = (status.initContainerStatuses ?? []).filter(
    (one) => !isInitialized || sidecars.some(({ name }) => name === one.name),
  );
  const containers = [...inits, ...(status.containerStatuses ?? [])];
  const count = containers.reduce((sum, { restartCount }) => sum + (restartCount ?? 0), 0);
  const ends = containers
    .map(({ lastState }) => Date.parse(lastState?.terminated?.finishedAt ?? ""))
    .filter((end) => end > 0);
  return count === 0 || ends.length === 0 ? String(count) : `${count} (${duration(now - Math.max(...ends))} ago)`;
}
