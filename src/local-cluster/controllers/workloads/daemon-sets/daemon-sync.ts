import type { ApiScope } from "../../../api/call.ts";
import type { StoredNode, StoredPod } from "../../../pods/stored-object.ts";
import { isNode, isPod } from "../../../pods/stored-object.ts";
import { isAvailable, isTerminated, isTerminating, ownObjects, readySince } from "../pods.ts";
import { fitOf, type NodeFit, targetNodeOf } from "./daemon-pods.ts";
import { currentHash } from "./daemon-revisions.ts";
import type { DaemonSetObject } from "./daemon-set-object.ts";

/** A node and a DaemonSet's pods on it. */
export interface DaemonNode extends NodeFit {
  /** `undefined` if the node does not exist. */
  readonly node: StoredNode | undefined;
  readonly name: string;
  /** Pods that have not both finished and begun to terminate. */
  readonly pods: readonly StoredPod[];
}

/** State of one reconciliation of a DaemonSet. */
export interface DaemonSync {
  readonly api: ApiScope;
  readonly set: DaemonSetObject;
  /** Hash of the current template. */
  readonly hash: string;
}

/** Starts a reconciliation. */
export function startSync(api: ApiScope, set: DaemonSetObject): DaemonSync {
  return { api, set, hash: currentHash(api, set) };
}

/** Returns all nodes and those with pods. */
export function daemonNodes({ api, set }: DaemonSync): readonly DaemonNode[] {
  const podsByNode = new Map<string, StoredPod[]>();
  for (const pod of ownObjects(api.store, "pods", set).filter(isPod)) {
    const node = targetNodeOf(pod);
    if (node === undefined || (isTerminated(pod) && isTerminating(pod))) continue;
    podsByNode.set(node, [...(podsByNode.get(node) ?? []), pod]);
  }
  const nodes = api.store.list("nodes").filter(isNode);
  const names = new Set(nodes.map(({ metadata }) => metadata.name));
  const missing = [...podsByNode].filter(([name]) => !names.has(name));
  return [
    ...nodes.map((node) => {
      const { name } = node.metadata;
      return { node, name, pods: podsByNode.get(name) ?? [], ...fitOf(set, node) };
    }),
    ...missing.map(([name, pods]) => ({ node: undefined, name, pods, shouldRun: false, mayStay: false })),
  ];
}

export function isReady(pod: StoredPod): boolean {
  return readySince(pod) !== undefined;
}

/** Whether a pod has been ready for `minReadySeconds`. */
export function isPodAvailable({ api, set }: DaemonSync, pod: StoredPod): boolean {
  return isAvailable(pod, set.spec.minReadySeconds ?? 0, api.clock.now());
}
