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
  /** Those that are still to be walked: they were asked of a revision that gave way to this one. */
  readonly toWalk: Set<string>;
  readonly walked: Set<string>;
  /** Who needs it, by revision, in the order found. */
  readonly callers: Map<string, Caller>;
  /** Revisions that were chosen instead of it. */
  evictedBy: readonly GraphNode[] | undefined;
}

/** One that needs a node, and in what words. */
export interface Caller {
  readonly node: GraphNode;
  readonly dependency: DependencyDescriptor;
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
    walked: new Set(),
    callers: new Map(),
    evictedBy: undefined,
  };
}

/** Notes that one node needs another. */
export function addCaller(
  node: GraphNode,
  caller: Omit<Caller, "configurations">,
  configuration: string,
): void {
  const key = printRevision(caller.node.resolved);
  const known = node.callers.get(key);
  if (known === undefined) node.callers.set(key, { ...caller, configurations: new Set([configuration]) });
  else known.configurations.add(configuration);
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
