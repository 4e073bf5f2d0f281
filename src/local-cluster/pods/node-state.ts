import { removeTree } from "../../host/remove-tree.ts";
import { isFinalPhase } from "../../kube/pod-phase.ts";
import type { StoreEvent } from "../api/store.ts";
import type { NodeContext } from "./node-context.ts";
import { nodeName } from "./node-object.ts";
import { rejectPod } from "./pod-rejection.ts";
import { type PodWorker, startPodWorker } from "./pod-worker.ts";
import { restoreState } from "./restore-state.ts";
import { isPod, type StoredPod } from "./stored-object.ts";

export interface NodeState {
  readonly context: NodeContext;
  /** Workers of the pods that the node runs, by uid. */
  readonly workers: Map<string, PodWorker>;
  /** Workers of deleted pods that are still stopping. */
  readonly removals: Set<Promise<void>>;
  cancelRefresh: () => void;
}

/** Interval at which volumes are updated and tokens renewed, in ms. */
const refreshMs = 60_000;

/** Creates the state of a node without pods. */
export function nodeState(context: NodeContext): NodeState {
  return { context, workers: new Map(), removals: new Set(), cancelRefresh: () => {} };
}

/** Handles a change in the store, unless the node is disconnected. */
export function handleStoreEvent(node: NodeState, event: StoreEvent): void {
  const { type, collection, object } = event;
  if (node.context.link.isDisconnected) return;
  if (collection === "pods" && isPod(object)) handlePodEvent(node, type, object);
  else if (["configmaps", "secrets", "persistentvolumeclaims"].includes(collection))
    for (const worker of node.workers.values()) {
      if (type !== "DELETED") worker.requestSync();
      worker.refresh();
    }
}

function handlePodEvent(node: NodeState, type: StoreEvent["type"], pod: StoredPod): void {
  const { uid } = pod.metadata;
  const worker = node.workers.get(uid);
  if (type === "DELETED") removeWorker(node, uid);
  else if (worker !== undefined) worker.update(pod);
  else if (pod.spec.nodeName === nodeName && !isFinalPhase(pod.status?.phase)) startPod(node, pod);
}

/** Starts a new pod unless the node rejects it. */
function startPod({ context, workers }: NodeState, pod: StoredPod): void {
  const others = [...workers.values()].map(({ workerState }) => workerState.pod);
  if (!rejectPod(context, pod, others)) workers.set(pod.metadata.uid, startPodWorker(context, pod));
}

function removeWorker({ workers, removals }: NodeState, uid: string): void {
  const worker = workers.get(uid);
  if (worker === undefined) return;
  workers.delete(uid);
  const removal = worker.remove().finally(() => removals.delete(removal));
  removals.add(removal);
}

/** Resumes a pod of an earlier node. */
export function resumePod({ workers, context }: NodeState, pod: StoredPod): void {
  const runtime = restoreState(pod, context.host.clock.now());
  if (!runtime.isTerminated && runtime.termination === undefined) {
    const message = "Pod sandbox changed, it will be killed and re-created.";
    context.events.record(pod, { type: "Normal", reason: "SandboxChanged", message });
  }
  workers.set(pod.metadata.uid, startPodWorker(context, pod, runtime));
}

/** Updates the volumes and tokens of all pods periodically. */
export function scheduleRefresh(node: NodeState): void {
  node.cancelRefresh = node.context.host.clock.after(refreshMs, () => {
    for (const worker of node.workers.values()) worker.refresh();
    scheduleRefresh(node);
  });
}

/** Returns the worker of a pod; `undefined` if the node does not run it. */
export function workerOf({ context, workers }: NodeState, namespace: string, name: string) {
  const pod = context.store.get("pods", namespace, name);
  return pod === undefined ? undefined : workers.get(pod.metadata.uid);
}

/** Stops all pods and removes the node's files, except logs and claims if they are kept. */
export async function stopPods(node: NodeState, { isKept }: { readonly isKept: boolean }): Promise<void> {
  const { context, workers, removals } = node;
  const { files } = context.host;
  node.cancelRefresh();
  const ends = [...workers.values()].map((worker) => (isKept ? worker.halt() : worker.remove()));
  await Promise.all([...ends, ...removals]);
  workers.clear();
  context.names.stop();
  await context.sandbox.stop();
  for (const path of isKept ? [] : [context.directory, context.claims]) removeTree(files, path);
  removeTree(files, context.memoryDirectory);
}
