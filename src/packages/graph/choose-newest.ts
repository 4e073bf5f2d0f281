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

/** Functions of the walk that a choice needs. */
interface ChoiceContext {
  readonly isEvicted: (node: GraphNode) => boolean;
  /** Returns the dependencies of a node's requested configurations, in the versions that `managers` and its ancestors manage. */
  readonly dependenciesOf: (node: GraphNode, managers: Visit | undefined) => readonly GraphNode[];
}

/** Chooses between the revisions of a node's module, for the dependent and for all its ancestors. */
export function chooseNewest(visit: Visit, context: ChoiceContext): void {
  chooseFor(visit, visit.parent, [], context);
}

/**
 * Chooses for one ancestor and for all above it.
 *
 * @param losers nodes evicted just below, which no longer count here; nodes evicted here are passed to the next
 * level above
 * @returns false if the choice is not possible yet
 */
function chooseFor(
  visit: Visit,
  ancestor: Visit | undefined,
  losers: readonly GraphNode[],
  context: ChoiceContext,
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
  const remaining = withoutNodes(known, losers);
  const hasLosers = remaining.length < known.length;
  const conflicts = conflictsOf(visit, ancestor, { remaining, hasLosers }, context);
  const winner = newestOf(conflicts, ancestor.node, context);
  if (winner === undefined) {
    pendingBelow.set(key, conflicts);
    return false;
  }
  pendingBelow.delete(key);
  chosenBelow.set(key, [winner]);
  const isWinner = isSameNode(winner, node);
  const newlyEvicted = withoutNodes(isWinner ? remaining : losers, [winner]);
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
  { remaining, hasLosers }: { remaining: readonly GraphNode[]; hasLosers: boolean },
  { dependenciesOf }: ChoiceContext,
): readonly GraphNode[] {
  const key = moduleKey(node.id);
  const isOfModule = (one: GraphNode) => moduleKey(one.id) === key;
  const isParent = parent !== undefined && isSameNode(parent.node, ancestor.node);
  if (hasLosers || (remaining.length === 0 && !isParent)) {
    const below = dependenciesOf(ancestor.node, ancestor.parent).flatMap((dependency) => [
      ...(isOfModule(dependency) ? [dependency] : []),
      ...(dependency.chosenBelow.get(key) ?? []),
    ]);
    return uniqueNodes([node, ...below]);
  }
  if (remaining.length > 0) return uniqueNodes([node, ...remaining]);
  // Here the parent's management also applies to its own dependencies.
  return uniqueNodes([node, ...dependenciesOf(ancestor.node, parent).filter(isOfModule)]);
}

/** Returns the newest node; `undefined` while one of them is a range. */
function newestOf(
  conflicts: readonly GraphNode[],
  above: GraphNode,
  { isEvicted }: ChoiceContext,
): GraphNode | undefined {
  const [first] = conflicts;
  if (conflicts.length < 2) return first;
  const forced = conflicts.find((node) => needOf(node, above)?.isForced === true);
  if (forced !== undefined) return forced;
  if (conflicts.some(({ resolved }) => isDynamic(resolved.version))) return undefined;
  const remaining = conflicts.filter((node) => !isEvicted(node));
  return (remaining.length > 0 ? remaining : conflicts).reduce((best, node) =>
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
