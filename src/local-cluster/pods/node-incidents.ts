import { disruptPod } from "../api/pod-condition.ts";
import { ownPods } from "./node-context.ts";
import { handleStoreEvent, type NodeState, workerOf } from "./node-state.ts";
import type { StoredPod } from "./stored-object.ts";

/** Incidents that chaos rules can cause on the node and its pods. */
export interface NodeIncidents {
  /** Evicts a pod as if the node were short of memory. Returns false if the node does not run the pod. */
  readonly evict: (namespace: string, pod: string, message: string | undefined) => boolean;
  /** Kills a container, or all running ones, as the kernel's OOM killer does. Returns false if none runs. */
  readonly oomKill: (namespace: string, pod: string, container: string | undefined) => boolean;
  /** Disconnects the node from the API; running containers continue. */
  readonly disconnect: () => void;
  /** Reconnects the node: it reports its state and applies the changes that it missed. */
  readonly reconnect: () => void;
}

const pressure = "The node was low on resource: memory. Threshold quantity: 100Mi, available: 99Mi. ";

/** Creates the incidents of a node. @param register writes the Node object */
export function nodeIncidents(node: NodeState, register: () => void): NodeIncidents {
  const { context, workers } = node;
  const { store, link, host } = context;

  /** Delivers a change of a pod that the node missed. */
  function catchUp(pod: StoredPod, type: "MODIFIED" | "DELETED"): void {
    const event = { type, collection: "pods", object: pod, previous: undefined, revision: store.revision() };
    handleStoreEvent(node, event);
  }

  return {
    evict(namespace, pod, message = pressure) {
      const worker = workerOf(node, namespace, pod);
      if (worker === undefined || worker.workerState.runtime.isTerminated) return false;
      const cause = { reason: "TerminationByKubelet", message, now: host.clock.now() };
      disruptPod(store, worker.workerState.pod, cause);
      worker.evict(message);
      return true;
    },
    oomKill(namespace, pod, container) {
      const workerState = workerOf(node, namespace, pod)?.workerState;
      const names = workerState?.runtime.containers.map(({ name }) => name) ?? [];
      const running = names
        .filter((name) => container === undefined || name === container)
        .filter((name) => workerState?.running.get(name) !== undefined);
      for (const name of running) {
        workerState?.oomKilled.add(name);
        workerState?.running.get(name)?.signal("SIGKILL");
      }
      return running.length > 0;
    },
    disconnect() {
      link.isDisconnected = true;
    },
    reconnect() {
      link.isDisconnected = false;
      register();
      const known = new Set(store.list("pods").map(({ metadata }) => metadata.uid));
      for (const [uid, { workerState }] of [...workers]) {
        if (known.has(uid)) workerState.publish();
        else catchUp(workerState.pod, "DELETED");
      }
      for (const pod of ownPods(store)) catchUp(pod, "MODIFIED");
    },
  };
}
