import type { DependencyDescriptor, ModuleDescriptor } from "../module-descriptor.ts";
import { isSameRevision, type ModuleRevision, moduleKey, printRevision } from "../module-revision.ts";

/**
 * A revision of a module in the graph, and what the walk has found out about it so far.
 *
 * There may be several for one revision: one that was reached, and some that were only read to choose between
 * revisions.
 */
export interface GraphNode {
  /** As requested: the version may be a range. */
  readonly id: ModuleRevision;
  /** As it was found. */
  resolved: ModuleRevision;
  readonly isRoot: boolean;
  descriptor: ModuleDescriptor | undefined;
  /** Reason for a missing descriptor, e.g. `not found`. */
  problem: string | undefined;
  /** Configurations that other nodes need. */
  readonly configurations: Set<string>;
  /** Configurations still to walk: other nodes need them, or they were requested of an evicted revision. */
  readonly unwalked: Set<string>;
  /** Words that were asked of it. */
  readonly requested: Set<string>;
  readonly walked: Set<string>;
  /** Nodes that need it or a revision that it evicted, by revision, in the order found. */
  readonly callers: Map<string, Caller>;
  /** Configurations of this revision that others need, by theirs. */
  readonly needs: Map<string, DependencyDescriptor>;
  readonly uses: Set<Use>;
  /** Those of revisions that gave way to it. */
  readonly inheritedUses: Set<Use>;
  /** Nodes that evicted it, anywhere in the graph. */
  evictedBy: readonly GraphNode[] | undefined;
  /** Only those need it that gave way themselves. */
  isOrphan: boolean;
  /** Nodes chosen below it, evicted, and undecided, by module key. */
  readonly chosenBelow: Map<string, readonly GraphNode[]>;
  readonly evictedBelow: Map<string, readonly GraphNode[]>;
  readonly pendingBelow: Map<string, readonly GraphNode[]>;
}

/** One that needs a node, and in what words. */
export interface Caller {
  readonly node: GraphNode;
  /** One where the caller's descriptor has several for one revision. */
  readonly dependencies: readonly DependencyDescriptor[];
}

/** A need that led to a node, and the configuration of the one in need. */
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

/** Nodes without those of a revision that is there already. */
export function uniqueNodes(nodes: readonly GraphNode[]): readonly GraphNode[] {
  return nodes.filter((node, index) => nodes.findIndex((one) => isSameNode(one, node)) === index);
}

/** Nodes without those of some revisions. */
export function withoutNodes(nodes: readonly GraphNode[], others: readonly GraphNode[]): readonly GraphNode[] {
  return nodes.filter((node) => !others.some((one) => isSameNode(one, node)));
}

/** Whether what a node was found as is among others, as they were asked for or found. */
export function isFoundAmong({ resolved }: GraphNode, nodes: readonly GraphNode[]): boolean {
  return nodes.some((one) => isSameRevision(one.id, resolved) || isSameRevision(one.resolved, resolved));
}

/** Notes that one node needs another. */
export function addCaller(node: GraphNode, caller: GraphNode, dependency: DependencyDescriptor): void {
  const key = printRevision(caller.resolved);
  const known = node.callers.get(key);
  const dependencies = [...new Set([...(known?.dependencies ?? []), dependency])];
  node.callers.set(key, { node: caller, dependencies });
  node.needs.set(printRevision(caller.id), dependency);
}

/** In what words one needs another, if it needs that very revision. */
export function needOf(node: GraphNode, caller: GraphNode): DependencyDescriptor | undefined {
  return node.needs.get(printRevision(caller.id));
}

/** Notes words that will be asked of a node, but for those that were. */
export function markRequested(node: GraphNode, specs: Iterable<string>): void {
  for (const spec of specs) if (!node.requested.has(spec)) node.unwalked.add(spec);
}

/** Lets a node give way to others: who needed it needs those now. */
export function evict(node: GraphNode, chosen: readonly GraphNode[]): void {
  node.evictedBy = chosen;
  for (const one of chosen) {
    inheritCallers(one, node);
    for (const use of [...node.uses, ...node.inheritedUses]) one.inheritedUses.add(use);
  }
}

/** Notes that those who needed one node need the other. */
export function inheritCallers(heir: GraphNode, loser: GraphNode): void {
  for (const [key, caller] of loser.callers) if (!heir.callers.has(key)) heir.callers.set(key, caller);
  for (const configuration of loser.configurations) heir.configurations.add(configuration);
  markRequested(heir, [...loser.requested, ...loser.unwalked]);
}

/** A node as it was reached: by whom. */
export interface Visit {
  readonly node: GraphNode;
  readonly parent: Visit | undefined;
  /** The parent's configuration that led here. */
  readonly configuration: string | undefined;
}

/** Whether the way to a node goes through its own module. */
export function isCircular({ node, parent }: Visit): boolean {
  for (let one = parent; one !== undefined; one = one.parent)
    if (moduleKey(one.node.id) === moduleKey(node.id)) return true;
  return false;
}

/** The configurations of a descriptor that a word of a mapping means: `compile`, `compile(*)`, `*`. */
export function realConfigurations({ configurations }: ModuleDescriptor, spec: string): readonly string[] | undefined {
  if (configurations.has(spec)) return [spec];
  const [, target = spec, otherwise] = /^(.*?)\((.*)\)$/.exec(spec) ?? [];
  if (configurations.has(target)) return [target];
  if (otherwise === "*" || spec === "*") return [...configurations.keys()];
  if (otherwise !== undefined && configurations.has(otherwise)) return [otherwise];
  return undefined;
}
