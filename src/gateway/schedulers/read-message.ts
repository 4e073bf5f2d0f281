import { asSentence } from "../../errors/as-sentence.ts";
import type { Event, KubeResource } from "../../kube/types.ts";
import { parseInstant } from "../../values/instant.ts";

/** Message of a scheduler about a pod. */
export interface PodMessage {
  readonly namespace: string;
  readonly podName: string;
  /** One or more sentences; `undefined` if it holds nothing back. */
  readonly text: string | undefined;
  /** Time in ms since 1970 of an event: older ones can arrive later. 0 for the state of an object. */
  readonly atMs: number;
}

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly message?: string;
}

/** A workload of Kueue, in the versions v1beta1 and v1beta2. */
export interface Workload extends KubeResource {
  readonly status?: {
    readonly conditions?: readonly Condition[];
    readonly admissionChecks?: readonly { readonly name: string; readonly state: string; readonly message?: string }[];
  };
}

/** A PodGroup of Volcano, version v1beta1. */
export interface PodGroup extends KubeResource {
  readonly spec?: { readonly queue?: string };
  readonly status?: { readonly phase?: string; readonly conditions?: readonly Condition[] };
}

/** Reads the state of the workload of a pod, which the pod owns. */
export function readWorkload(workload: Workload): PodMessage | undefined {
  return aboutOwner(workload, workloadText(workload));
}

function workloadText({ status: { conditions = [], admissionChecks = [] } = {} }: Workload): string | undefined {
  const find = (type: string) => conditions.find((condition) => condition.type === type);
  if (find("Admitted")?.status === "True") return undefined;
  const reserved = find("QuotaReserved");
  if (reserved?.status !== "True") {
    // Until the workload is evaluated again, an eviction says more.
    const { message = "" } = reserved ?? find("Evicted") ?? {};
    return message === ""
      ? "Kueue has not evaluated the driver yet."
      : `Kueue does not admit the driver yet: ${asSentence(message)}`;
  }
  const checks = admissionChecks.filter(({ state }) => state !== "Ready");
  const reasons = checks.map(({ name, message = "" }) => (message === "" ? name : `${name} (${message})`));
  const waits = reasons.length === 0 ? (find("Admitted")?.message ?? "its admission") : reasons.join(", ");
  return `Kueue has reserved quota for the driver, and waits for ${asSentence(waits)}`;
}

/** Reads the state of a PodGroup, whose owner is the driver. */
export function readPodGroup(group: PodGroup): PodMessage | undefined {
  return aboutOwner(group, podGroupText(group));
}

function podGroupText({ spec: { queue = "default" } = {}, status: { phase, conditions = [] } = {} }: PodGroup) {
  if (phase === "Running" || phase === "Completed") return undefined;
  const { message = "" } = conditions.find(({ type, status }) => type === "Unschedulable" && status === "True") ?? {};
  const reason = message === "" ? "." : `: ${asSentence(message)}`;
  return phase === "Inqueue"
    ? `Volcano looks for nodes for the application${reason}`
    : `Volcano's queue ${queue} has no room for the application yet${reason}`;
}

/** Reads an event of YuniKorn about a pod. */
export function readEvent({ metadata, involvedObject, message = "", ...times }: Event): PodMessage {
  const { namespace = "", name: podName = "" } = involvedObject;
  const time = times.lastTimestamp ?? times.series?.lastObservedTime ?? times.eventTime ?? metadata.creationTimestamp;
  const text = message.replaceAll(`${namespace}/${podName}`, "the driver");
  return { namespace, podName, text: `YuniKorn: ${asSentence(text)}`, atMs: parseInstant(time) ?? 0 };
}

function aboutOwner({ metadata }: KubeResource, text: string | undefined): PodMessage | undefined {
  const { namespace = "", ownerReferences = [] } = metadata;
  const owner = ownerReferences.find(({ kind }) => kind === "Pod");
  return owner === undefined ? undefined : { namespace, podName: owner.name, text, atMs: 0 };
}
