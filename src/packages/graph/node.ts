import type { DependencyDescriptor, ModuleDescriptor } from "../module-descriptor.ts";
import { type ModuleRevision, printRevision } from "../module-revision.ts";

/** A revision of a module in the graph, and what the walk has found out about it so far. */
export interface GraphNode {
  /** As it was asked for: the version may be a range. */
  readonly id: ModuleRevision;
  /** As it was found. */
  resolved: ModuleRevision;
  readonly isRoot: boolean;
  descriptor: ModuleDescriptor | undefined;
  /** Why there is none, e.g. `not found`. */
  problem: string | undefined;
  /** Its own configurations that somebody needs. */
  readonly configurations: Set<string>;
  /** Words for those that are still to be walked: somebody will need them, or they were asked of a revision that gave way. */
  readonly toWalk: Set<string>;
  /** Words that were asked of it. */
  readonly asked: Set<string>;
  readonly walked: Set<string>;
  /** Who needs it, by revision, in the order found. */
  readonly callers: Map<string, Caller>;
  /** Revisions that were chosen instead of it, here or there in the graph. */
  evictedBy: readonly GraphNode[] | undefined;
  /** What was chosen below it, and what gave way, by module key. */
  readonly chosenBelow: Map<string, readonly GraphNode[]>;
  readonly evictedBelow: Map<string, readonly GraphNode[]>;
}

/** One that needs a node, and in what words. */
export interface Caller {
  readonly node: GraphNode;
  /** One where the caller's descriptor has several for one revision. */
  readonly dependencies: readonly DependencyDescriptor[];
  /** The caller's configurations in which it does. */
  readonly configurations: Set<string>;
}

/** A node that nobody has looked at. */
export function newNode(id: ModuleRevision, options: { isRoot?: boolean } = {}): GraphNode {
  return {
    id,
    resolved: id,
    isRoot: options.isRoot === true,
    descriptor: undefined,
    problem: undefined,
    configurations: new Set(),
    toWalk: new Set(),
    asked: new Set(),
    walked: new Set(),
    callers: new Map(),
    evictedBy: undefined,
    chosenBelow: new Map(),
    evictedBelow: new Map(),
  };
}

/** Notes that one node needs another. */
export function addCaller(
  node: GraphNode,
  caller: GraphNode,
  { dependency, configuration }: { dependency: DependencyDescriptor; configuration: string },
): void {
  const key = printRevision(caller.resolved);
  const known = node.callers.get(key);
  const dependencies = [...new Set([...(known?.dependencies ?? []), dependency])];
  const configurations = known?.configurations ?? new Set();
  configurations.add(configuration);
  node.callers.set(key, { node: caller, dependencies, configurations });
}

/** Notes that those who needed the one that gave way need the other now. */
export function inherit(chosen: GraphNode, loser: GraphNode): void {
  for (const [key, caller] of loser.callers) if (!chosen.callers.has(key)) chosen.callers.set(key, caller);
  for (const configuration of loser.configurations) chosen.configurations.add(configuration);
  for (const word of loser.asked) if (!chosen.asked.has(word)) chosen.toWalk.add(word);
}

/** A node as it was reached: by whom. */
export interface Visit {
  readonly node: GraphNode;
  readonly parent: Visit | undefined;
  /** The parent's word for it. */
  readonly dependency: DependencyDescriptor | undefined;
}

/** Whether the way to a node goes through the node itself. */
export function isCircular({ node, parent }: Visit): boolean {
  for (let one = parent; one !== undefined; one = one.parent) if (one.node === node) return true;
  return false;
}

/** The configurations of a descriptor that a word of a mapping means: `compile`, `compile(*)`, `*`. */
export function realConfigurations(
  { configurations }: ModuleDescriptor,
  word: string,
): readonly string[] | undefined {
  if (configurations.has(word)) return [word];
  const [, wanted = word, otherwise] = /^(.*?)\((.*)\)$/.exec(word) ?? [];
  if (configurations.has(wanted)) return [wanted];
  if (otherwise === "*" || word === "*") return [...configurations.keys()];
  if (otherwise !== undefined && configurations.has(otherwise)) return [otherwise];
  return undefined;
}
