import { matchesModule } from "../module-descriptor.ts";
import { isSameRevision, type ModuleRevision } from "../module-revision.ts";
import type { Caller, GraphNode } from "./node.ts";

type Module = Pick<ModuleRevision, "group" | "artifact">;

/**
 * Whether all paths to a node exclude a module below it. Ignores dependents of an evicted revision.
 *
 * Cyclic paths are ignored.
 */
export function isExcludedBelow(node: GraphNode, module: Module, above: readonly GraphNode[] = []): boolean {
  const path = [...above, node];
  let isKnown = false;
  for (const { node: caller, dependencies } of node.callers.values()) {
    const needs = dependencies.filter(({ id }) => isSameRevision(id, node.id));
    if (needs.length === 0) continue;
    const isExcluded = excludes({ node: caller, dependencies: needs }, module, path);
    if (isExcluded === false) return false;
    if (isExcluded === true) isKnown = true;
  }
  return isKnown;
}

function excludes({ node, dependencies }: Caller, module: Module, path: readonly GraphNode[]): boolean | undefined {
  if (dependencies.some(({ exclusions }) => exclusions.some((one) => matchesModule(one, module)))) return true;
  if (node.descriptor?.exclusions.some((pattern) => matchesModule(pattern, module)) === true) return true;
  if (path.includes(node)) return undefined;
  return isExcludedBelow(node, module, path);
}
