import type { Event, Pod, PodSpec } from "../kube/types.ts";
import { parseInstant } from "../values/instant.ts";
import { type ContainerView, viewContainer } from "./container-view.ts";
import type { ObservedPod } from "./observation.ts";

/** Pod of the submission: its containers by purpose, its status and events. */
export interface PodView {
  readonly role: "driver" | "executor";
  readonly name: string;
  readonly namespace: string;
  readonly pod: Pod;
  readonly spec: PodSpec;
  readonly phase: string;
  readonly reason: string;
  readonly message: string;
  /** Whether the pod no longer exists. */
  readonly isDeleted: boolean;
  /** Whether the deletion of the pod was requested. */
  readonly isTerminating: boolean;
  readonly isScheduled: boolean;
  /** Container in which Spark runs. */
  readonly main: ContainerView;
  readonly inits: readonly ContainerView[];
  readonly sidecars: readonly ContainerView[];
  /** All containers, in the order in which the kubelet starts them. */
  readonly containers: readonly ContainerView[];
  /** Events about the pod, oldest first. */
  readonly events: readonly Event[];
}

/** Inputs for the view of a pod. */
interface PodViewInput {
  readonly role: PodView["role"];
  /** Events of the namespace. */
  readonly events: readonly Event[];
  /** Configured name of the container in which Spark runs. */
  readonly mainName: string | undefined;
}

/** Builds the view of one pod. */
export function viewPod(observed: ObservedPod, { role, events, mainName }: PodViewInput): PodView {
  const { pod, isDeleted } = observed;
  const { metadata = {}, status = {} } = pod;
  const spec = { containers: [], ...pod.spec };
  const mainSpec = mainContainer(spec, role, mainName);
  const main = viewContainer(observed, mainSpec, { kind: "main", role });
  const inits = (spec.initContainers ?? []).map((one) => viewContainer(observed, one, { kind: "init", role }));
  const sidecars = spec.containers
    .filter((one) => one !== mainSpec)
    .map((one) => viewContainer(observed, one, { kind: "sidecar", role }));
  return {
    role,
    ...{ name: metadata.name ?? "", namespace: metadata.namespace ?? "", pod, spec },
    ...{ phase: status.phase ?? "", reason: status.reason ?? "", message: status.message ?? "" },
    ...{ isDeleted, isTerminating: metadata.deletionTimestamp !== undefined },
    isScheduled: spec.nodeName !== undefined && spec.nodeName !== "",
    ...{ main, inits, sidecars, containers: [...inits, main, ...sidecars] },
    events: events.filter((event) => isAbout(event, pod)),
  };
}

const sparkNames = { driver: "spark-kubernetes-driver", executor: "spark-kubernetes-executor" };

/** Finds the container of Spark by name or by command, not by position: sidecars may come first. */
function mainContainer({ containers }: PodSpec, role: PodView["role"], named: string | undefined) {
  const find = (expectedName: string | undefined) => containers.find(({ name }) => name === expectedName);
  const running = containers.find(({ args }) => args?.[0] === role);
  return find(sparkNames[role]) ?? find(named) ?? running ?? containers[0] ?? { name: sparkNames[role] };
}

function isAbout({ involvedObject }: Event, { metadata = {} }: Pod): boolean {
  // A server may send an event without an object, although the API requires one.
  const { kind, name, uid } = involvedObject ?? {};
  if (kind !== "Pod" || name !== metadata.name) return false;
  return uid === undefined || metadata.uid === undefined || uid === metadata.uid;
}

/** Returns the condition of a pod with a type. */
export function conditionOf({ pod }: PodView, type: string) {
  return pod.status?.conditions?.find((condition) => condition.type === type);
}

/** Returns the last event with one of these reasons. */
export function lastEvent({ events }: PodView, ...reasons: readonly string[]): Event | undefined {
  return events.findLast(({ reason = "" }) => reasons.includes(reason));
}

/** Returns the first and last time of an event, in ms since the epoch. */
export function eventTimes(event: Event): { readonly first: number; readonly last: number } {
  const { firstTimestamp, eventTime, lastTimestamp, series, metadata } = event;
  const first =
    parseInstant(firstTimestamp) ?? parseInstant(eventTime) ?? parseInstant(metadata.creationTimestamp) ?? 0;
  const last = parseInstant(series?.lastObservedTime) ?? parseInstant(lastTimestamp) ?? first;
  return { first, last: Math.max(first, last) };
}

/** Returns how many times an event occurred. */
export function eventCount({ count, series }: Event): number {
  return Math.max(count ?? 1, series?.count ?? 1);
}

/** Returns the name of the container that an event is about; `undefined` for an event about the pod. */
export function containerOf({ involvedObject }: Event): string | undefined {
  return /^spec\.(?:initContainers|containers|ephemeralContainers)\{(.+)\}$/.exec(involvedObject?.fieldPath ?? "")?.[1];
}
