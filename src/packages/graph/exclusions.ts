import { matchesModule } from "../module-descriptor.ts";
import type { ModuleRevision } from "../module-revision.ts";
import type { Caller, GraphNode } from "./node.ts";

type Module = Pick<ModuleRevision, "group" | "artifact">;

/**
 * Whether all ways to a node exclude a module from what is below it.
 *
 * A way that comes back to itself says nothing: `undefined`.
 */
export function isExcludedBelow(node: GraphNode, module: Module, above: readonly GraphNode[] = []): boolean {
  if (node.callers.size === 0) return false;
  const way = [...above, node];
  let isTold = false;
  for (const caller of node.callers.values()) {
    const told = excludes(caller, module, way);
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
