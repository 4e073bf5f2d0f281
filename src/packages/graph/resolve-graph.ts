import { compareVersions, isDynamic } from "../ivy-version.ts";
import type { DependencyDescriptor, ModuleDescriptor } from "../module-descriptor.ts";
import { matchesModule } from "../module-descriptor.ts";
import { type ModuleRevision, moduleKey, printRevision } from "../module-revision.ts";
import { isExcludedBelow } from "./exclusions.ts";
import { addCaller, type GraphNode, isCircular, newNode, realConfigurations, type Visit } from "./node.ts";

/** Gives what describes a module. A range is answered by the revision that was chosen. */
export interface Descriptors {
  readonly load: (id: ModuleRevision) => Promise<Described>;
  /** Begins to load what will be asked for. */
  readonly prefetch: (id: ModuleRevision) => void;
}

/** What became of a search for a module. */
export type Described =
  | { readonly ok: true; readonly descriptor: ModuleDescriptor }
  | { readonly ok: false; readonly problem: string };

/** The walked graph: nodes in the order in which they were reached, without the root. */
export interface Graph {
  readonly nodes: readonly GraphNode[];
  readonly isEvicted: (node: GraphNode) => boolean;
}

/** How a graph is walked. */
export interface GraphOptions {
  /** @default true */
  readonly isTransitive?: boolean;
}

/**
 * Walks from a root to all that it needs, and chooses the newest revision of each module, in the order in which Ivy does.
 *
 * Source: Ivy's documentation of conflict management, and recordings of Spark's own resolver.
 */
export async function resolveGraph(
  root: ModuleDescriptor,
  descriptors: Descriptors,
  options: GraphOptions = {},
): Promise<Graph> {
  const walk = new GraphWalk(root, descriptors, options.isTransitive !== false);
  await walk.start();
  return walk.finish();
}

class GraphWalk {
  private readonly nodes = new Map<string, GraphNode>();
  private readonly chosen = new Map<string, GraphNode>();
  private readonly root: GraphNode;
  private readonly descriptors: Descriptors;
  private readonly isTransitive: boolean;

  constructor(root: ModuleDescriptor, descriptors: Descriptors, isTransitive: boolean) {
    this.root = { ...newNode(root.id, { isRoot: true }), descriptor: root };
    this.descriptors = descriptors;
    this.isTransitive = isTransitive;
  }

  async start(): Promise<void> {
    await this.walkConfiguration({ node: this.root, parent: undefined, dependency: undefined }, "default");
  }

  finish(): Graph {
    const nodes = [...new Set(this.nodes.values())];
    const isEvicted = (node: GraphNode) => this.isEvicted(node);
    this.evictOrphans(nodes);
    return { nodes, isEvicted };
  }

  /** Reaches a node in one of its configurations. */
  private async fetch(visit: Visit, word: string): Promise<void> {
    const { node } = visit;
    const isNew = await this.load(node);
    if (node.problem !== undefined) return;
    if (isNew) this.choose(node);
    if (!this.isEvicted(node) && node.descriptor !== undefined) {
      const real = realConfigurations(node.descriptor, word);
      if (real === undefined) {
        node.problem = `configuration not found: '${word}'`;
        return;
      }
      for (const configuration of real) {
        node.configurations.add(configuration);
        node.toWalk.delete(configuration);
      }
      node.toWalk.delete(word);
      if (!isCircular(visit)) for (const one of real) await this.walkConfiguration(visit, one);
    }
    if (this.isEvicted(node)) await this.fetchInstead(visit, word);
  }

  /** What was asked of a node that gave way is asked of the one it gave way to. */
  private async fetchInstead(visit: Visit, word: string): Promise<void> {
    for (const selected of visit.node.evictedBy ?? []) {
      this.mergeInto(selected, visit.node);
      if (selected.descriptor === undefined) selected.toWalk.add(word);
      else await this.fetch({ ...visit, node: selected }, word);
    }
  }

  private async load(node: GraphNode): Promise<boolean> {
    if (node.descriptor !== undefined || node.problem !== undefined || this.isEvicted(node)) return false;
    const described = await this.descriptors.load(node.id);
    if (!described.ok) {
      node.problem = described.problem;
      return false;
    }
    node.descriptor = described.descriptor;
    if (isDynamic(node.id.version)) node.resolved = { ...node.id, version: described.descriptor.id.version };
    return true;
  }

  private async walkConfiguration(visit: Visit, configuration: string): Promise<void> {
    const { node } = visit;
    const { descriptor } = node;
    if (descriptor === undefined) return;
    for (const extended of descriptor.configurations.get(configuration) ?? []) {
      node.configurations.add(extended);
      await this.walkConfiguration(visit, extended);
    }
    if (node.walked.has(configuration) || !this.goesOn(visit)) return;
    node.walked.add(configuration);
    const needs = this.dependenciesOf(visit, configuration);
    for (const { dependency } of needs) this.descriptors.prefetch(dependency.id);
    for (const need of needs) await this.walkNeed(visit, need);
  }

  private goesOn({ node, dependency }: Visit): boolean {
    return node.isRoot || (this.isTransitive && dependency?.isTransitive !== false);
  }

  private async walkNeed(parent: Visit, { node, dependency, words }: Need): Promise<void> {
    const visit = { node, parent, dependency };
    for (const word of words) await this.fetch(visit, word);
    if (!this.isEvicted(node) && node.problem === undefined)
      for (const word of [...node.toWalk]) await this.fetch(visit, word);
  }

  private dependenciesOf(visit: Visit, configuration: string): readonly Need[] {
    const { node } = visit;
    const needs = new Map<GraphNode, Need>();
    for (const written of node.descriptor?.dependencies ?? []) {
      const dependency = mediate(visit, written);
      const words = dependency.mapping.get(configuration) ?? [];
      if (words.length === 0 || this.isExcluded(node, dependency.id)) continue;
      const needed = this.nodeOf(dependency.id);
      addCaller(needed, { node, dependency }, configuration);
      const before = needs.get(needed);
      needs.set(needed, {
        node: needed,
        dependency,
        words: [...new Set([...(before?.words ?? []), ...words])],
      });
    }
    return [...needs.values()];
  }

  private isExcluded(node: GraphNode, module: ModuleRevision): boolean {
    if (!node.isRoot) return isExcludedBelow(node, module);
    return node.descriptor?.exclusions.some((pattern) => matchesModule(pattern, module)) === true;
  }

  private nodeOf(id: ModuleRevision): GraphNode {
    const key = printRevision(id);
    const node = this.nodes.get(key) ?? newNode(id);
    this.nodes.set(key, node);
    return node;
  }

  private choose(node: GraphNode): void {
    const key = moduleKey(node.id);
    const before = this.chosen.get(key);
    if (before === undefined || before === node) {
      this.chosen.set(key, node);
      return;
    }
    const isForced = (one: GraphNode) =>
      [...one.callers.values()].some((caller) => caller.dependency.isForced);
    const isNewer = compareVersions(node.resolved.version, before.resolved.version) >= 0;
    const winner = isForced(before) ? before : isNewer || isForced(node) ? node : before;
    const loser = winner === node ? before : node;
    this.chosen.set(key, winner);
    loser.evictedBy = [winner];
    this.mergeInto(winner, loser);
    for (const word of loser.configurations) if (!winner.walked.has(word)) winner.toWalk.add(word);
  }

  /** Those who needed the one that gave way need the other now. */
  private mergeInto(selected: GraphNode, loser: GraphNode): void {
    for (const [key, caller] of loser.callers)
      if (!selected.callers.has(key)) selected.callers.set(key, caller);
  }

  private isEvicted(node: GraphNode): boolean {
    return node.evictedBy !== undefined && this.chosen.get(moduleKey(node.id)) !== node;
  }

  /** What only those needed that gave way is not needed. */
  private evictOrphans(nodes: readonly GraphNode[]): void {
    for (const node of nodes) {
      if (this.isEvicted(node) || node.callers.size === 0) continue;
      const isOrphan = [...node.callers.values()].every(
        (caller) => !caller.node.isRoot && this.isEvicted(caller.node),
      );
      if (!isOrphan) continue;
      node.evictedBy = [];
      if (this.chosen.get(moduleKey(node.id)) === node) this.chosen.delete(moduleKey(node.id));
    }
  }
}

interface Need {
  readonly node: GraphNode;
  readonly dependency: DependencyDescriptor;
  /** The needed node's configurations, in the words of the mapping. */
  readonly words: readonly string[];
}

/** The version that those above want for a dependency; who is farthest above has the last word. */
function mediate({ parent }: Visit, dependency: DependencyDescriptor): DependencyDescriptor {
  const key = moduleKey(dependency.id);
  let { version } = dependency.id;
  for (let one = parent; one !== undefined; one = one.parent)
    version = one.node.descriptor?.overrides.get(key) ?? version;
  return version === dependency.id.version
    ? dependency
    : { ...dependency, id: { ...dependency.id, version } };
}
