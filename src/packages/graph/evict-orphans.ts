import { isSameRevision } from "../module-revision.ts";
import type { GraphNode } from "./node.ts";

/** What only those needed that gave way is not needed. */
export function evictOrphans(nodes: readonly GraphNode[], isEvicted: (node: GraphNode) => boolean): void {
  for (const node of dependentsFirst(nodes)) {
    if (isEvicted(node) || node.callers.size === 0) continue;
    const callers = [...node.callers.values()];
    node.isOrphan = callers.every((caller) => !caller.node.isRoot && isEvicted(caller.node));
  }
}

/** Nodes before those that they need, as their descriptors tell it; those without one last. */
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
