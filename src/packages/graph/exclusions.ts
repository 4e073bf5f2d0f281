import { matchesModule } from "../module-descriptor.ts";
import { isSameRevision, type ModuleRevision } from "../module-revision.ts";
import type { Caller, GraphNode } from "./node.ts";

type Module = Pick<ModuleRevision, "group" | "artifact">;

/**
 * Whether all ways to a node exclude a module from what is below it. Those who need another revision, which gave way, have no say.
 *
 * A way that comes back to itself says nothing: `undefined`.
 */
export function isExcludedBelow(node: GraphNode, module: Module, above: readonly GraphNode[] = []): boolean {
  const way = [...above, node];
  let isTold = false;
  for (const { node: caller, dependencies } of node.callers.values()) {
    const needs = dependencies.filter(({ id }) => isSameRevision(id, node.id));
    if (needs.length === 0) continue;
    const told = excludes({ node: caller, dependencies: needs }, module, way);
    if (told === false) return false;
    if (told === true) isTold = true;
  }
  return isTold;
}

function excludes(
  { node, dependencies }: Caller,
  module: Module,
  way: readonly GraphNode[],
): boolean | undefined {
  if (dependencies.some(({ exclusions }) => exclusions.some((one) => matchesModule(one, module))))
    return true;
  if (node.descriptor?.exclusions.some((pattern) => matchesModule(pattern, module)) === true) return true;
  if (way.includes(node)) return undefined;
  return isExcludedBelow(node, module, way);
}
