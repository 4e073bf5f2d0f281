import { compareVersions, isDynamic } from "../ivy-version.ts";
import { moduleKey } from "../module-revision.ts";
import { type GraphNode, inherit, type Visit } from "./node.ts";

/** What choosing needs of the walk. */
export interface Surroundings {
  readonly isEvicted: (node: GraphNode) => boolean;
  /** All that a node on the way needs in the configurations that were asked of it so far. */
  readonly dependenciesOf: (visit: Visit) => readonly GraphNode[];
}

/**
 * Chooses between the revisions of a node's module, for the one that needs the node and for all above.
 *
 * A revision that gives way below one of them gives way for good, as far as nothing above has chosen it.
 */
export function chooseNewest(visit: Visit, surroundings: Surroundings): void {
  chooseFor(visit, visit.parent, new Set(), surroundings);
}

/** False when it cannot be told yet. */
function chooseFor(
  visit: Visit,
  ancestor: Visit | undefined,
  losers: ReadonlySet<GraphNode>,
  surroundings: Surroundings,
): boolean {
  if (ancestor === undefined) return true;
  const { node } = visit;
  const key = moduleKey(node.id);
  const above = ancestor.node;
  const before = above.chosenBelow.get(key) ?? [];
  if (above.evictedBelow.get(key)?.includes(node) === true) {
    evictAsInRoot(visit);
    return true;
  }
  if (before.includes(node)) {
    if (!chooseFor(visit, ancestor.parent, losers, surroundings)) return false;
    evictAsInRoot(visit);
    return true;
  }
  const conflicts = conflictsOf(visit, ancestor, { before, losers }, surroundings);
  const winner = newestOf(conflicts, above, surroundings);
  if (winner === undefined) return false;
  const giveWay = before.filter((one) => one !== winner);
  for (const one of giveWay) evict(one, [winner]);
  const evictedBefore = (above.evictedBelow.get(key) ?? []).filter((one) => one !== winner);
  above.chosenBelow.set(key, [winner]);
  if (winner === node) {
    above.evictedBelow.set(key, [...new Set([...evictedBefore, ...giveWay])]);
    return chooseFor(visit, ancestor.parent, new Set(giveWay), surroundings);
  }
  above.evictedBelow.set(key, [...new Set([...evictedBefore, ...giveWay, node])]);
  evict(node, [winner]);
  if (before.includes(winner)) return true;
  return chooseFor({ ...visit, node: winner }, ancestor.parent, new Set(giveWay), surroundings);
}

interface Past {
  readonly before: readonly GraphNode[];
  readonly losers: ReadonlySet<GraphNode>;
}

function conflictsOf(
  { node, parent }: Visit,
  ancestor: Visit,
  { before, losers }: Past,
  { dependenciesOf }: Surroundings,
): readonly GraphNode[] {
  const left = before.filter((one) => !losers.has(one));
  if (left.length > 0 && left.length === before.length) return [...new Set([node, ...left])];
  const key = moduleKey(node.id);
  const dependencies = dependenciesOf(ancestor);
  if (before.length === 0 && ancestor === parent) return [node];
  const below = dependencies.flatMap((dependency) => [
    ...(moduleKey(dependency.id) === key ? [dependency] : []),
    ...(dependency.chosenBelow.get(key) ?? []),
  ]);
  return [...new Set([node, ...below])];
}

/** `undefined` while one of them is a range. */
function newestOf(
  conflicts: readonly GraphNode[],
  above: GraphNode,
  { isEvicted }: Surroundings,
): GraphNode | undefined {
  const [first] = conflicts;
  if (conflicts.length < 2) return first;
  const needOf = (node: GraphNode) => [...node.callers.values()].find((caller) => caller.node === above);
  const forced = conflicts.find(
    (node) => needOf(node)?.dependencies.some(({ isForced }) => isForced) === true,
  );
  if (forced !== undefined) return forced;
  // Of several that one POM needs of a module, the last counts.
  const wanted = first && above.descriptor?.overrides.get(moduleKey(first.id));
  const last = conflicts.find((node) => node.id.version === wanted && needOf(node) !== undefined);
  if (last !== undefined) return last;
  if (conflicts.some(({ resolved }) => isDynamic(resolved.version))) return undefined;
  const standing = conflicts.filter((node) => !isEvicted(node));
  return (standing.length > 0 ? standing : conflicts).reduce((best, node) =>
    compareVersions(best.resolved.version, node.resolved.version) <= 0 ? node : best,
  );
}

/** A node that gave way for the root stays so, whoever needs it. */
function evictAsInRoot(visit: Visit): void {
  let root = visit;
  while (root.parent !== undefined) root = root.parent;
  const chosen = root.node.chosenBelow.get(moduleKey(visit.node.id)) ?? [];
  if (!chosen.includes(visit.node)) evict(visit.node, chosen);
}

function evict(node: GraphNode, chosen: readonly GraphNode[]): void {
  node.evictedBy = chosen;
  for (const one of chosen) inherit(one, node);
}
