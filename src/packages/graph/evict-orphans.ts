import { isSameRevision } from "../module-revision.ts";
import type { GraphNode } from "./node.ts";

/** Evicts nodes that only evicted nodes need. */
export function evictOrphans(nodes: readonly GraphNode[], isEvicted: (node: GraphNode) => boolean): void {
  for (const node of dependentsFirst(nodes)) {
    if (isEvicted(node) || node.callers.size === 0) continue;
    const callers = [...node.callers.values()];
    node.isOrphan = callers.every((caller) => !caller.node.isRoot && isEvicted(caller.node));
  }
}

/** Sorts nodes before their dependencies, by their descriptors. Nodes without one come last. */
function dependentsFirst(nodes: readonly GraphNode[]): readonly GraphNode[] {
  const sorted: GraphNode[] = [];
  const seen = new Set<GraphNode>();
  const add = (node: GraphNode) => {
    if (seen.has(node)) return;
    seen.add(node);
    for (const { id } of node.descriptor?.dependencies ?? [])
      for (const one of nodes) if (one.descriptor !== undefined && isSameRevision(one.resolved, id)) add(one);
    sorted.push(node);
  };
  const described = nodes.filter(({ descriptor }) => descriptor !== undefined);
  described.forEach(add);
  return [...sorted.reverse(), ...nodes.filter(({ descriptor }) => descriptor === undefined)];
}
