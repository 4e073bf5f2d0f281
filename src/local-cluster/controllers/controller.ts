import type { ApiScope } from "../api/call.ts";
import type { Store, StoredObject, StoreEvent } from "../api/store.ts";
import { remove } from "../api/verbs/delete.ts";
import type { DeleteOptions } from "../api/verbs/write-options.ts";
import { AdmissionPending } from "./admission-pending.ts";

/** A controller: reconciles part of the cluster. Returns a function that stops it. */
export type Controller = (api: ApiScope) => () => void;

/** A queue that runs each task once, however often it was added. */
export interface WorkQueue {
  /** Adds a task. If it is already queued, the earlier time counts. */
  readonly add: (task: string, delayMs?: number) => void;
  readonly stop: () => void;
}

const minRetryMs = 500;
const maxRetryMs = 60_000;

/** Runs `work` for each task. Retries failed tasks with exponential backoff, and those that wait for webhooks as soon as possible. */
export function workQueue({ clock }: Pick<ApiScope, "clock">, work: (task: string) => void): WorkQueue {
  const waiting = new Map<string, { readonly due: number; readonly cancel: () => void }>();
  const retryMs = new Map<string, number>();
  const admissions = new Map<string, AdmissionPending>();
  let isStopped = false;

  function add(task: string, delayMs = 0): void {
    const due = clock.now() + delayMs;
    const known = waiting.get(task);
    if (isStopped || (known !== undefined && known.due <= due)) return;
    known?.cancel();
    waiting.set(task, { due, cancel: clock.after(delayMs, () => run(task)) });
  }

  function run(task: string): void {
    waiting.delete(task);
    if (isStopped) return;
    const admission = admissions.get(task);
    admissions.delete(task);
    try {
      work(task);
      retryMs.delete(task);
    } catch (error) {
      if (error instanceof AdmissionPending) {
        admissions.set(task, error);
        void error.settled.then(() => add(task));
        return;
      }
      const delayMs = retryMs.get(task) ?? minRetryMs;
      retryMs.set(task, Math.min(2 * delayMs, maxRetryMs));
      add(task, delayMs);
    } finally {
      if (admission !== admissions.get(task)) admission?.discard();
    }
  }

  return {
    add,
    stop() {
      isStopped = true;
      for (const { cancel } of waiting.values()) cancel();
    },
  };
}

/** Tasks that changes of the store cause. `add` queues a task. */
interface Reconciler {
  /** Queues the tasks of a change. Objects that exist at the start count as added. */
  readonly observe: (event: StoreEvent, add: WorkQueue["add"]) => void;
  readonly work: (task: string, add: WorkQueue["add"]) => void;
}

/** Starts a reconciler. @returns a function that stops it */
export function startReconciler(api: ApiScope, { observe, work }: Reconciler): () => void {
  const queue = workQueue(api, (task) => work(task, queue.add));
  const stopListening = api.store.follow((event) => observe(event, queue.add));
  return () => {
    stopListening();
    queue.stop();
  };
}

/** Returns the task for an object: `namespace/name`. */
export function keyOf({ metadata }: StoredObject): string {
  return `${metadata.namespace}/${metadata.name}`;
}

/** Finds the object of a task. */
export function findByKey(store: Store, collection: string, key: string): StoredObject | undefined {
  const [namespace, name = ""] = key.split("/");
  return store.get(collection, namespace, name);
}

/** Deletes an object like a client: with grace period and finalizers. */
export function deleteObject(
  api: ApiScope,
  collection: string,
  object: StoredObject,
  propagationPolicy: DeleteOptions["propagationPolicy"] = "Background",
): void {
  const kind = api.kinds.ofCollection(collection);
  const { namespace, name, uid } = object.metadata;
  const current = api.store.get(collection, namespace, name);
  if (kind === undefined || current === undefined || current.metadata.uid !== uid) return;
  const unset = { gracePeriodSeconds: undefined, uid: undefined, resourceVersion: undefined };
  remove(api, { kind, name }, current, { dryRun: false, propagationPolicy, ...unset });
}

/** Removes a finalizer from an object if it has it. */
export function dropFinalizer(api: ApiScope, collection: string, object: StoredObject, finalizer: string): void {
  const { namespace, name, uid } = object.metadata;
  api.store.update(collection, namespace, name, (current) => {
    const { finalizers = [], ...metadata } = current.metadata;
    const rest = finalizers.filter((other) => other !== finalizer);
    if (current.metadata.uid !== uid || rest.length === finalizers.length) return current;
    return { ...current, metadata: rest.length === 0 ? metadata : { ...metadata, finalizers: rest } };
  });
}
