import { compareVersions, isDynamic } from "../ivy-version.ts";
import { moduleKey } from "../module-revision.ts";
import {
  evict,
  type GraphNode,
  isFoundAmong,
  isSameNode,
  needOf,
  uniqueNodes,
  type Visit,
  withoutNodes,
} from "./node.ts";

/** Context of a choice in the walk. */
export interface RepositoryContext {
  readonly isEvicted: (node: GraphNode) => boolean;
  /** All that a node needs in the configurations that were asked of it so far, in the versions that those from `managers` on want. */
  readonly dependenciesOf: (node: GraphNode, managers: Visit | undefined) => readonly GraphNode[];
}

/** Chooses between the revisions of a node's module, for the one that needs the node and for all above. */
export function chooseNewest(visit: Visit, context: RepositoryContext): void {
  chooseFor(visit, visit.parent, [], context);
}

/**
 * Chooses for one on the way and for all above it.
 *
 * @param losers nodes evicted just below, which no longer count here; nodes evicted here are passed to the next
 * level above
 * @returns false if the choice is not possible yet
 */
function chooseFor(
  visit: Visit,
  ancestor: Visit | undefined,
  losers: readonly GraphNode[],
  context: RepositoryContext,
): boolean {
  if (ancestor === undefined) return true;
  const { node } = visit;
  const { chosenBelow, evictedBelow, pendingBelow } = ancestor.node;
  const key = moduleKey(node.id);
  const chosen = chosenBelow.get(key) ?? [];
  const evicted = evictedBelow.get(key) ?? [];
  if (isFoundAmong(node, evicted)) return true;
  if (isFoundAmong(node, chosen)) {
    if (!chooseFor(visit, ancestor.parent, losers, context)) return false;
    evictAsInRoot(visit);
    return true;
  }
  const known = uniqueNodes([...chosen, ...(pendingBelow.get(key) ?? [])]);
  const standing = withoutNodes(known, losers);
  const isAnyLost = standing.length < known.length;
  const conflicts = conflictsOf(visit, ancestor, { standing, isAnyLost }, context);
  const winner = newestOf(conflicts, ancestor.node, context);
  if (winner === undefined) {
    pendingBelow.set(key, conflicts);
    return false;
  }
  pendingBelow.delete(key);
  chosenBelow.set(key, [winner]);
  const isWinner = isSameNode(winner, node);
  const newlyEvicted = withoutNodes(isWinner ? standing : losers, [winner]);
  const below = [...withoutNodes(evicted, [winner]), ...newlyEvicted, ...(isWinner ? [] : [node])];
  evictedBelow.set(key, uniqueNodes(below));
  for (const one of isWinner ? newlyEvicted : [node]) evict(one, [winner]);
  if (isWinner) return chooseFor(visit, ancestor.parent, newlyEvicted, context);
  if (withoutNodes([winner], chosen).length === 0) return true;
  return chooseFor({ ...visit, node: winner }, ancestor.parent, newlyEvicted, context);
}

function conflictsOf(
  { node, parent }: Visit,
  ancestor: Visit,
  { standing, isAnyLost }: { standing: readonly GraphNode[]; isAnyLost: boolean },
  { dependenciesOf }: RepositoryContext,
): readonly GraphNode[] {
  const key = moduleKey(node.id);
  const isOfModule = (one: GraphNode) => moduleKey(one.id) === key;
  const isParent = parent !== undefined && isSameNode(parent.node, ancestor.node);
  if (isAnyLost || (standing.length === 0 && !isParent)) {
    const below = dependenciesOf(ancestor.node, ancestor.parent).flatMap((dependency) => [
      ...(isOfModule(dependency) ? [dependency] : []),
      ...(dependency.chosenBelow.get(key) ?? []),
    ]);
    return uniqueNodes([node, ...below]);
  }
  if (standing.length > 0) return uniqueNodes([node, ...standing]);
  // Here the parent's own management counts for what it needs itself, too.
  return uniqueNodes([node, ...dependenciesOf(ancestor.node, parent).filter(isOfModule)]);
}

/** `undefined` while one of them is a range. */
function newestOf(
  conflicts: readonly GraphNode[],
  above: GraphNode,
  { isEvicted }: RepositoryContext,
): GraphNode | undefined {
  const [first] = conflicts;
  if (conflicts.length < 2) return first;
  const forced = conflicts.find((node) => needOf(node, above)?.isForced === true);
  if (forced !== undefined) return forced;
  if (conflicts.some(({ resolved }) => isDynamic(resolved.version))) return undefined;
  const standing = conflicts.filter((node) => !isEvicted(node));
  return (standing.length > 0 ? standing : conflicts).reduce((best, node) =>
    compareVersions(best.resolved.version, node.resolved.version) <= 0 ? node : best,
  );
}

/** A node evicted at the root remains evicted for all callers. */
function evictAsInRoot(visit: Visit): void {
  let root = visit;
  while (root.parent !== undefined) root = root.parent;
  const chosen = root.node.chosenBelow.get(moduleKey(visit.node.id)) ?? [];
  if (!isFoundAmong(visit.node, chosen)) evict(visit.node, chosen);
}
