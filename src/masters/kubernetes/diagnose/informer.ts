import { backoff } from "../../../host/backoff.ts";
import type { Clock, Random } from "../../../host/host.ts";
import type { ResourceType } from "../../../kube/resources.ts";
import { statusOf } from "../../../kube/status.ts";
import type { ObjectMeta } from "../../../kube/types.ts";
import type { KubeClient } from "../../../kube-client/client.ts";
import { watchWithIdleTimeout } from "../watch/watch-with-idle-timeout.ts";

/** Which objects are followed, and until when. */
export interface InformerCall {
  /** Whose failures nobody needs to hear of. */
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly type: ResourceType;
  readonly namespace: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** Called once when they may not even be listed. */
  readonly onRefused: (error: unknown) => void;
  readonly signal: AbortSignal;
}

/** An object as it is, or as it was last seen. */
export interface TrackedObject<T> {
  readonly object: T;
  readonly isDeleted: boolean;
}

/** The objects that a selector lets through, kept current by one connection. */
export interface Informer<T> {
  /** Those that are or were there, in the order in which they came; of many that are gone, the latest. */
  readonly get: () => readonly TrackedObject<T>[];
  /** Calls `listener` after each change; returns how to stop that. */
  readonly onChange: (listener: () => void) => () => void;
}

const pollMs = 10_000;
const mostGone = 100;

type Metadata = { readonly metadata?: ObjectMeta };

/** Follows objects by a list and a watch, again and again; without the right to watch, by a list now and then. */
export function startInformer<T extends Metadata>(call: InformerCall): Informer<T> {
  const known = new Map<string, TrackedObject<T>>();
  const listeners = new Set<() => void>();
  const put = (object: T, isDeleted: boolean) => {
    known.set(keyOf(object), { object, isDeleted });
    for (const listener of listeners) listener();
  };
  const replace = (items: readonly T[]) => {
    const there = new Set(items.map(keyOf));
    for (const [key, { object, isDeleted }] of known) if (!there.has(key) && !isDeleted) put(object, true);
    for (const item of items) {
      const old = known.get(keyOf(item));
      if (old?.object.metadata?.resourceVersion !== item.metadata?.resourceVersion) put(item, false);
    }
    forget(known);
  };
  void follow(call, { put, replace });
  return {
    get: () => [...known.values()],
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

interface Store<T> {
  readonly put: (object: T, isDeleted: boolean) => void;
  readonly replace: (items: readonly T[]) => void;
}

async function follow<T extends Metadata>(call: InformerCall, store: Store<T>): Promise<void> {
  const { client, clock, random, signal, onRefused } = call;
  let wait = backoff(clock, random).wait;
  let polls = false;
  while (!signal.aborted) {
    try {
      const { items, resourceVersion } = await client.list<T>(call);
      store.replace(items);
      wait = backoff(clock, random).wait;
      if (polls) await clock.sleep(pollMs, { signal });
      else await watch(call, resourceVersion, store);
    } catch (error) {
      if (signal.aborted) return;
      const isRefused = statusOf(error)?.code === 403;
      if (isRefused && polls) return onRefused(error);
      polls = isRefused;
    }
    if (!polls) await wait(signal);
  }
}

async function watch<T extends Metadata>(
  call: InformerCall,
  resourceVersion: string,
  { put }: Store<T>,
): Promise<void> {
  const { type, namespace, labelSelector, fieldSelector, signal, client, clock } = call;
  const events = watchWithIdleTimeout<T>(client, clock, {
    ...{ type, namespace, resourceVersion, signal },
    ...(labelSelector !== undefined && { labelSelector }),
    ...(fieldSelector !== undefined && { fieldSelector }),
  });
  for await (const event of events) {
    if (event.type === "ERROR") return;
    if (event.type !== "BOOKMARK") put(event.object, event.type === "DELETED");
  }
}

function keyOf({ metadata = {} }: Metadata): string {
  return metadata.uid ?? metadata.name ?? "";
}

/** Long runs have thousands of executors; the oldest that are gone say nothing any more. */
function forget<T>(known: Map<string, TrackedObject<T>>): void {
  const gone = [...known].filter(([, { isDeleted }]) => isDeleted);
  for (const [key] of gone.slice(0, Math.max(0, gone.length - mostGone))) known.delete(key);
}
