import { isDynamic } from "../ivy-version.ts";
import type { DependencyDescriptor, ModuleDescriptor } from "../module-descriptor.ts";
import { matchesModule } from "../module-descriptor.ts";
import { type ModuleRevision, moduleKey, printRevision } from "../module-revision.ts";
import { chooseNewest } from "./choose-newest.ts";
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

/** A node that another needs, and its configurations in the words of the mapping. */
interface Need {
  readonly node: GraphNode;
  readonly dependency: DependencyDescriptor;
  readonly words: readonly string[];
}

class GraphWalk {
  /** By revision; those that were reached are in `reached`, too. */
  private readonly nodes = new Map<string, GraphNode>();
  private readonly reached = new Set<GraphNode>();
  private readonly root: GraphNode;
  private readonly descriptors: Descriptors;
  private readonly isTransitive: boolean;

  constructor(root: ModuleDescriptor, descriptors: Descriptors, isTransitive: boolean) {
    this.root = { ...newNode(root.id, { isRoot: true }), descriptor: root };
    this.descriptors = descriptors;
    this.isTransitive = isTransitive;
  }

  async start(): Promise<void> {
    await this.reach({ node: this.root, parent: undefined, dependency: undefined }, "default");
  }

  finish(): Graph {
    const nodes = [...this.reached];
    this.evictOrphans(nodes);
    return { nodes, isEvicted: this.isEvicted };
  }

  /** Reaches a node in one of its configurations. */
  private async reach(visit: Visit, word: string): Promise<void> {
    const { node } = visit;
    await this.load(node);
    if (node.problem !== undefined) return;
    const real = node.descriptor === undefined ? [] : this.take(node, word);
    chooseNewest(visit, { isEvicted: this.isEvicted, dependenciesOf: this.dependenciesSoFar });
    if (!this.isEvicted(node)) {
      if (!isCircular(visit)) for (const one of real) await this.walkConfiguration(visit, one);
    }
    if (this.isEvicted(node)) await this.reachInstead(visit, word);
  }

  /** Notes that a word is asked of a node: the configurations that it means. */
  private take(node: GraphNode, word: string): readonly string[] {
    const real = node.descriptor && realConfigurations(node.descriptor, word);
    if (real === undefined) {
      node.problem = `configuration not found: '${word}'`;
      return [];
    }
    node.asked.add(word);
    node.toWalk.delete(word);
    for (const configuration of real) {
      node.configurations.add(configuration);
      node.toWalk.delete(configuration);
    }
    return real;
  }

  /** What was asked of a node that gave way is asked of the one it gave way to. */
  private async reachInstead(visit: Visit, word: string): Promise<void> {
    for (const chosen of visit.node.evictedBy ?? []) {
      if (chosen.descriptor === undefined) chosen.toWalk.add(word);
      else if (!chosen.asked.has(word)) await this.reach({ ...visit, node: chosen }, word);
    }
  }

  private async load(node: GraphNode): Promise<void> {
    if (node.descriptor !== undefined || node.problem !== undefined || this.isEvicted(node)) return;
    const described = await this.descriptors.load(node.id);
    if (!described.ok) {
      node.problem = described.problem;
      return;
    }
    node.descriptor = described.descriptor;
    if (isDynamic(node.id.version)) node.resolved = { ...node.id, version: described.descriptor.id.version };
  }

  private async walkConfiguration(visit: Visit, configuration: string): Promise<void> {
    const { node } = visit;
    const extended = node.descriptor?.configurations.get(configuration) ?? [];
    for (const one of extended) node.toWalk.add(one);
    for (const one of extended) await this.reach(visit, one);
    if (node.walked.has(configuration) || !this.goesOn(visit)) return;
    node.walked.add(configuration);
    const needs = this.needsOf(visit, [configuration]);
    for (const need of needs) {
      if (!this.reached.has(need.node)) need.node.toWalk.clear();
      this.reached.add(need.node);
      this.descriptors.prefetch(need.node.id);
    }
    for (const need of needs) await this.walkNeed(visit, need);
  }

  private goesOn({ node, dependency }: Visit): boolean {
    return node.isRoot || (this.isTransitive && dependency?.isTransitive !== false);
  }

  private async walkNeed(parent: Visit, { node, dependency, words }: Need): Promise<void> {
    const visit = { node, parent, dependency };
    for (const word of words) await this.reach(visit, word);
    if (!this.isEvicted(node) && node.problem === undefined)
      for (const word of [...node.toWalk]) await this.reach(visit, word);
  }

  private readonly dependenciesSoFar = (visit: Visit): readonly GraphNode[] =>
    this.needsOf(visit, [...visit.node.configurations]).map(({ node }) => node);

  /** What a node needs in some of its configurations; notes in those that it will ask for it. */
  private needsOf(visit: Visit, configurations: readonly string[]): readonly Need[] {
    const { node } = visit;
    const needs = new Map<GraphNode, Need>();
    for (const configuration of configurations) {
      for (const written of node.descriptor?.dependencies ?? []) {
        const words = written.mapping.get(configuration) ?? [];
        if (words.length === 0) continue;
        const dependency = mediate(visit, written);
        if (this.isExcluded(node, dependency)) continue;
        const needed = this.nodeOf(dependency.id);
        addCaller(needed, node, { dependency, configuration });
        for (const word of words) if (!needed.asked.has(word)) needed.toWalk.add(word);
        const before = needs.get(needed)?.words ?? [];
        needs.set(needed, { node: needed, dependency, words: [...new Set([...before, ...words])] });
      }
    }
    return [...needs.values()];
  }

  private isExcluded(node: GraphNode, { id }: DependencyDescriptor): boolean {
    if (!node.isRoot) return isExcludedBelow(node, id);
    return node.descriptor?.exclusions.some((pattern) => matchesModule(pattern, id)) === true;
  }

  private nodeOf(id: ModuleRevision): GraphNode {
    const key = printRevision(id);
    const node = this.nodes.get(key) ?? newNode(id);
    this.nodes.set(key, node);
    return node;
  }

  private readonly isEvicted = (node: GraphNode): boolean =>
    node.evictedBy !== undefined && this.root.chosenBelow.get(moduleKey(node.id))?.includes(node) !== true;

  /** What only those needed that gave way is not needed. */
  private evictOrphans(nodes: readonly GraphNode[]): void {
    for (const node of nodes) {
      if (this.isEvicted(node) || node.callers.size === 0) continue;
      const isOrphan = [...node.callers.values()].every(
        (caller) => !caller.node.isRoot && this.isEvicted(caller.node),
      );
      if (!isOrphan) continue;
      node.evictedBy = [];
      this.root.chosenBelow.delete(moduleKey(node.id));
    }
  }
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
