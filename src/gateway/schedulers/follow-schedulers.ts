import { isSubmitError, messageOf } from "../../errors/submit-error.ts";
import type { Clock, Random } from "../../host/host.ts";
import type { ServerLog } from "../../http/server-log.ts";
import { type ResourceType, resourceTypes } from "../../kube/resources.ts";
import { statusOf } from "../../kube/status.ts";
import type { Event, ObjectMeta } from "../../kube/types.ts";
import type { KubeClient } from "../../kube-client/client.ts";
import { startInformer } from "../../masters/kubernetes/diagnose/informer.ts";
import type { QueueScheduler } from "../queue/queue-rules.ts";
import {
  type PodGroup,
  type PodMessage,
  readEvent,
  readPodGroup,
  readWorkload,
  type Workload,
} from "./read-message.ts";

interface FollowCall {
  /** Client without retries. */
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: ServerLog;
  /** `undefined` for all namespaces. */
  readonly namespaces: readonly string[] | undefined;
  readonly schedulers: Iterable<QueueScheduler>;
  readonly signal: AbortSignal;
  readonly onMessage: (message: PodMessage) => void;
}

type Metadata = { readonly metadata?: ObjectMeta };

/** Objects in which a scheduler says why pods wait. */
interface Source<T extends Metadata> {
  /** For the log. */
  readonly name: string;
  /** Versions of the kind, the preferred one first. */
  readonly types: readonly ResourceType[];
  readonly fieldSelector?: string;
  readonly read: (object: T) => PodMessage | undefined;
  /** Reduces an object to what is kept in memory: executors have thousands. */
  readonly reduce: (object: T) => T;
  /** Whether a deletion takes the message back. */
  readonly isState: boolean;
}

const workloads: Source<Workload> = {
  name: "Workloads of Kueue",
  types: ["v1beta2", "v1beta1"].map((version) => {
    return { group: "kueue.x-k8s.io", version, kind: "Workload", plural: "workloads", namespaced: true };
  }),
  reduce: ({ spec: _, metadata, ...kept }) => ({ ...kept, metadata: reducedMetadata(metadata) }),
  ...{ read: readWorkload, isState: true },
};

const podGroups: Source<PodGroup> = {
  ...{ name: "PodGroups of Volcano", types: [resourceTypes.podGroup], read: readPodGroup, isState: true },
  reduce: (group) => ({ ...group, metadata: reducedMetadata(group.metadata) }),
};

const events: Source<Event> = {
  ...{ name: "Events of YuniKorn", types: [resourceTypes.event], read: readEvent, isState: false },
  reduce: (event) => ({ ...event, metadata: reducedMetadata(event.metadata) }),
  fieldSelector: "source=yunikorn,involvedObject.kind=Pod",
};

function reducedMetadata({ managedFields: _, labels: __, annotations: ___, ...kept }: ObjectMeta): ObjectMeta {
  return kept;
}

/** Time between looks for a kind that the API does not have: its scheduler can be installed later. */
const absentMs = 60_000;

/** Follows what the schedulers of queues say about pods: one watch for each namespace and scheduler. What may not be read is not shown. */
export function followSchedulers(call: FollowCall): void {
  const kinds = new Set([...call.schedulers].map(({ kind }) => kind));
  if (kinds.has("kueue")) void follow(call, workloads);
  if (kinds.has("volcano")) void follow(call, podGroups);
  if (kinds.has("yunikorn")) void follow(call, events);
}

async function follow<T extends Metadata>(call: FollowCall, source: Source<T>): Promise<void> {
  const { client, clock, random, log, namespaces = [""], signal, onMessage } = call;
  const { name, fieldSelector, isState, read, reduce } = source;
  const type = await servedType(call, source);
  if (type === undefined) return;
  for (const namespace of namespaces) {
    const informer = startInformer<T>({
      ...{ client, clock, random, type, signal, transform: reduce },
      ...(namespace !== "" && { namespace }),
      ...(fieldSelector !== undefined && { fieldSelector }),
      onDenied: (error) =>
        log("WARN", `${name} may not be read, so what they say is not shown.`, { namespace, reason: messageOf(error) }),
    });
    informer.onChange(({ object, isDeleted }) => {
      if (isDeleted && !isState) return;
      const message = read(object);
      if (message !== undefined) onMessage(isDeleted ? { ...message, text: undefined } : message);
    });
  }
}

/** Waits until the API has a kind, and returns it in the preferred version; `undefined` if the gateway stops. */
async function servedType<T extends Metadata>(
  { client, clock, log, namespaces: [namespace = ""] = [], signal }: FollowCall,
  { name, types }: Source<T>,
): Promise<ResourceType | undefined> {
  let isReported = false;
  while (!signal.aborted) {
    for (const type of types) if (await isServed(client, type, namespace, signal)) return type;
    if (!isReported) log("WARN", `The cluster has no ${name.replace(/^./, (first) => first.toLowerCase())} yet.`);
    isReported = true;
    await clock.sleep(absentMs, { signal, background: true });
  }
  return undefined;
}

/** Returns whether the API has a kind. Without permission for it, or if the API fails, it can have it. */
async function isServed(client: KubeClient, type: ResourceType, namespace: string, signal: AbortSignal) {
  try {
    await client.list({ type, limit: 1, signal, ...(namespace !== "" && { namespace }) });
    return true;
  } catch (error) {
    if (!isSubmitError(error)) throw error;
    return statusOf(error)?.code !== 404;
  }
}
