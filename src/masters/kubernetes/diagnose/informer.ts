import type { Clock, Random } from "../../../host/host.ts";
import { statusOf } from "../../../kube/status.ts";
import type { ObjectMeta } from "../../../kube/types.ts";
import type { ListCall } from "../../../kube-client/call.ts";
import type { KubeClient } from "../../../kube-client/client.ts";
import { backoff } from "../../../net/backoff.ts";
import { watchWithIdleTimeout } from "../watch/watch-with-idle-timeout.ts";

interface InformerCall<T> extends Omit<ListCall, "signal" | "limit"> {
  /** Client without retries: the informer has its own, and logs no failure. */
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  /** Called once if the API denies the list. */
  readonly onDenied: (error: unknown) => void;
  /** Called after each failed request, before the next attempt. @default not reported */
  readonly onFailure?: (error: unknown) => void;
  /** Called before each list. @default not reported */
  readonly onListStart?: () => void;
  /** Called after each complete list, after the changes that it shows. @default not reported */
  readonly onListEnd?: () => void;
  /** Reduces each object to the part that is kept in memory, with its metadata. @default the complete object */
  readonly transform?: (object: T) => T;
  readonly signal: AbortSignal;
}

/** An object in its current state or, if `isDeleted`, in its last known state. */
export interface TrackedObject<T> {
  readonly object: T;
  readonly isDeleted: boolean;
}

/** Objects that match a selector, kept current by one connection. */
export interface Informer<T> {
  /** Returns the existing objects and the latest 100 deleted ones, in the order of their first appearance. */
  readonly get: () => readonly TrackedObject<T>[];
  /** Calls `listener` with the object after each change. Returns a function that removes it. */
  readonly onChange: (listener: (changed: TrackedObject<T>) => void) => () => void;
}

const pollMs = 10_000;
/** A watch that lived longer than this, or sent a change, did not fail: the backoff restarts. */
const healthyMs = 10_000;
/** Limit of deleted objects: a long application can have thousands of executors, and old ones explain nothing. */
const maxDeleted = 100;

type Metadata = { readonly metadata?: ObjectMeta };

interface InformerState<T> {
  /** By UID. */
  readonly objects: Map<string, TrackedObject<T>>;
  readonly listeners: Set<(changed: TrackedObject<T>) => void>;
  readonly transform: (object: T) => T;
  /** Whether the current watch has sent a change. A list says nothing about the watch after it. */
  hasWatched: boolean;
}

/** Starts to list and watch objects until the signal aborts. If the API denies the watch, lists them every 10 s. */
export function startInformer<T extends Metadata>(call: InformerCall<T>): Informer<T> {
  const { transform = (object) => object } = call;
  const state: InformerState<T> = { objects: new Map(), listeners: new Set(), transform, hasWatched: false };
  void run(call, state);
  return {
    get: () => [...state.objects.values()],
    onChange(listener) {
      state.listeners.add(listener);
      return () => state.listeners.delete(listener);
    },
  };
}

async function run<T extends Metadata>(call: InformerCall<T>, state: InformerState<T>): Promise<void> {
  const { client, clock, random, signal, onDenied, onFailure, onListStart, onListEnd } = call;
  let wait = backoff(clock, random).wait;
  let isPolling = false;
  while (!signal.aborted) {
    let watchedAt = Number.POSITIVE_INFINITY;
    state.hasWatched = false;
    try {
      onListStart?.();
      const { items, resourceVersion } = await client.list<T>(call);
      onList(state, items);
      onListEnd?.();
      watchedAt = clock.monotonic();
      if (isPolling) await clock.sleep(pollMs, { signal });
      else await watch(call, resourceVersion, state);
    } catch (error) {
      if (signal.aborted) return;
      onFailure?.(error);
      const isDenied = statusOf(error)?.code === 403;
      if (isDenied && isPolling) return onDenied(error);
      isPolling = isDenied;
    }
    if (state.hasWatched || clock.monotonic() - watchedAt > healthyMs) wait = backoff(clock, random).wait;
    if (!isPolling) await wait(signal);
  }
}

async function watch<T extends Metadata>(
  call: InformerCall<T>,
  resourceVersion: string,
  state: InformerState<T>,
): Promise<void> {
  for await (const event of watchWithIdleTimeout<T>(call.client, call.clock, { ...call, resourceVersion })) {
    if (event.type === "ERROR") return;
    if (event.type === "BOOKMARK") continue;
    state.hasWatched = true;
    onObject(state, event.object, event.type === "DELETED");
  }
}

function onObject<T extends Metadata>(state: InformerState<T>, object: T, isDeleted: boolean): void {
  const changed = { object: state.transform(object), isDeleted };
  state.objects.set(keyOf(object), changed);
  for (const listener of state.listeners) listener(changed);
}

/** Applies a complete list: objects that it lacks were deleted. */
function onList<T extends Metadata>(state: InformerState<T>, items: readonly T[]): void {
  const { objects } = state;
  const listed = new Set(items.map(keyOf));
  for (const [key, { object, isDeleted }] of objects) if (!listed.has(key) && !isDeleted) onObject(state, object, true);
  for (const item of items) {
    const known = objects.get(keyOf(item));
    if (known?.object.metadata?.resourceVersion !== item.metadata?.resourceVersion) onObject(state, item, false);
  }
  const deleted = [...objects].filter(([, { isDeleted }]) => isDeleted);
  for (const [key] of deleted.slice(0, Math.max(0, deleted.length - maxDeleted))) objects.delete(key);
}

function keyOf({ metadata = {} }: Metadata): string {
  return metadata.uid ?? metadata.name ?? "";
}
