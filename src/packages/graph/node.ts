import type { DependencyDescriptor, ModuleDescriptor } from "../module-descriptor.ts";
import { isSameRevision, type ModuleRevision, moduleKey, printRevision } from "../module-revision.ts";

/**
 * A revision of a module in the graph, with the state of the walk.
 *
 * Several nodes can have the same revision: one that was reached, and others that were only read to choose between revisions.
 */
export interface GraphNode {
  /** As requested: the version may be a range. */
  readonly id: ModuleRevision;
  /** The resolved revision. */
  resolved: ModuleRevision;
  readonly isRoot: boolean;
  descriptor: ModuleDescriptor | undefined;
  /** Reason for a missing descriptor, e.g. `not found`. */
  problem: string | undefined;
  /** Configurations that other nodes need. */
  readonly configurations: Set<string>;
  /** Configurations still to walk: other nodes need them, or they were requested of an evicted revision. */
  readonly unwalked: Set<string>;
  /** Requested configuration mappings. */
  readonly requested: Set<string>;
  readonly walked: Set<string>;
  /** Nodes that need it or a revision that it evicted, by revision, in the order found. */
  readonly callers: Map<string, Caller>;
  /** Dependencies on this revision, by dependent. */
  readonly needs: Map<string, DependencyDescriptor>;
  readonly uses: Set<Use>;
  /** Uses of the revisions that it evicted. */
  readonly inheritedUses: Set<Use>;
  /** Nodes that evicted it, anywhere in the graph. */
  evictedBy: readonly GraphNode[] | undefined;
  /** Whether only evicted nodes depend on it. */
  isOrphan: boolean;
  /** Nodes chosen below it, evicted, and undecided, by module key. */
  readonly chosenBelow: Map<string, readonly GraphNode[]>;
  readonly evictedBelow: Map<string, readonly GraphNode[]>;
  readonly pendingBelow: Map<string, readonly GraphNode[]>;
}

/** A dependent of a node, with its dependency declarations. */
export interface Caller {
  readonly node: GraphNode;
  /** More than one if the descriptor declares a revision several times. */
  readonly dependencies: readonly DependencyDescriptor[];
}

/** Dependency on a node, and the dependent's configuration. */
export interface Use {
  readonly dependency: DependencyDescriptor;
  readonly configuration: string;
}

/** Builds a node that is not loaded yet. */
export function newNode(id: ModuleRevision, options: { isRoot?: boolean } = {}): GraphNode {
  return {
    id,
    resolved: id,
    isRoot: options.isRoot === true,
    descriptor: undefined,
    problem: undefined,
    configurations: new Set(),
    unwalked: new Set(),
    requested: new Set(),
    walked: new Set(),
    callers: new Map(),
    needs: new Map(),
    uses: new Set(),
    inheritedUses: new Set(),
    evictedBy: undefined,
    isOrphan: false,
    chosenBelow: new Map(),
    evictedBelow: new Map(),
    pendingBelow: new Map(),
  };
}

/** Returns whether both nodes have the same requested revision. */
export function isSameNode(one: GraphNode, other: GraphNode): boolean {
  return isSameRevision(one.id, other.id);
}

/** Removes nodes with the same revision as an earlier one. */
export function uniqueNodes(nodes: readonly GraphNode[]): readonly GraphNode[] {
  return nodes.filter((node, index) => nodes.findIndex((one) => isSameNode(one, node)) === index);
}

/** Removes nodes with the revisions of other nodes. */
export function withoutNodes(nodes: readonly GraphNode[], others: readonly GraphNode[]): readonly GraphNode[] {
  return nodes.filter((node) => !others.some((one) => isSameNode(one, node)));
}

/** Whether some nodes include the resolved revision of a node. */
export function isFoundAmong({ resolved }: GraphNode, nodes: readonly GraphNode[]): boolean {
  return nodes.some((one) => isSameRevision(one.id, resolved) || isSameRevision(one.resolved, resolved));
}

/** Records that one node depends on another. */
export function addCaller(node: GraphNode, caller: GraphNode, dependency: DependencyDescriptor): void {
  const key = printRevision(caller.resolved);
  const known = node.callers.get(key);
  const dependencies = [...new Set([...(known?.dependencies ?? []), dependency])];
  node.callers.set(key, { node: caller, dependencies });
  node.needs.set(printRevision(caller.id), dependency);
}

/** Returns the dependency of a node on exactly this revision. */
export function needOf(node: GraphNode, caller: GraphNode): DependencyDescriptor | undefined {
  return node.needs.get(printRevision(caller.id));
}

/** Adds configuration mappings to walk, except those already requested. */
export function markRequested(node: GraphNode, specs: Iterable<string>): void {
  for (const spec of specs) if (!node.requested.has(spec)) node.unwalked.add(spec);
}

/** Evicts a node. Its dependents now depend on the chosen ones. */
export function evict(node: GraphNode, chosen: readonly GraphNode[]): void {
  node.evictedBy = chosen;
  for (const one of chosen) {
    inheritCallers(one, node);
    for (const use of [...node.uses, ...node.inheritedUses]) one.inheritedUses.add(use);
  }
}

/** Adds the dependents of an evicted node to the node that replaces it. */
export function inheritCallers(heir: GraphNode, loser: GraphNode): void {
  for (const [key, caller] of loser.callers) if (!heir.callers.has(key)) heir.callers.set(key, caller);
  for (const configuration of loser.configurations) heir.configurations.add(configuration);
  markRequested(heir, [...loser.requested, ...loser.unwalked]);
}

/** A node, and the path on which the walk reached it. */
export interface Visit {
  readonly node: GraphNode;
  readonly parent: Visit | undefined;
  /** The parent's configuration that led here. */
  readonly configuration: string | undefined;
}

/** Whether the path to a node contains its own module. */
export function isCircular({ node, parent }: Visit): boolean {
  for (let one = parent; one !== undefined; one = one.parent)
    if (moduleKey(one.node.id) === moduleKey(node.id)) return true;
  return false;
}

/** Returns the configurations that a mapping selects: `compile`, `compile(*)`, `*`. */
export function realConfigurations({ configurations }: ModuleDescriptor, spec: string): readonly string[] | undefined {
  if (configurations.has(spec)) return [spec];
  const [, target = spec, otherwise] = /^(.*?)\((.*)\)$/.exec(spec) ?? [];
  if (configurations.has(target)) return [target];
  if (otherwise === "*" || spec === "*") return [...configurations.keys()];
  if (otherwise !== undefined && configurations.has(otherwise)) return [otherwise];
  return undefined;
}
