import { submitError } from "../../errors/submit-error.ts";
import { isDynamic } from "../ivy-version.ts";
import type { DependencyDescriptor, ModuleDescriptor } from "../module-descriptor.ts";
import type { ModuleRevision } from "../module-revision.ts";
import { chooseNewest } from "./choose-newest.ts";
import { evictOrphans } from "./evict-orphans.ts";
import { GraphNodes, type Need } from "./graph-nodes.ts";
import {
  type GraphNode,
  isCircular,
  markRequested,
  needOf,
  realConfigurations,
  type Visit,
  withoutNodes,
} from "./node.ts";

/** Maximum length of a path from the root. The time of a walk grows with the third power of this length. */
const maxDepth = 100;

/** Source of module descriptors. For a range, the descriptor has the chosen revision. */
export interface Descriptors {
  readonly load: (id: ModuleRevision) => Promise<Described>;
  /** Starts to load a module. */
  readonly prefetch: (id: ModuleRevision) => void;
}

/** Result of a search for a module. */
export type Described =
  | { readonly ok: true; readonly descriptor: ModuleDescriptor }
  | { readonly ok: false; readonly problem: string };

/** The walked graph. */
export interface Graph {
  /** Nodes in the order in which they were reached, without the root. */
  readonly nodes: readonly GraphNode[];
  /** Nodes with a problem, in the order found; some may have been evicted later. */
  readonly unresolved: readonly GraphNode[];
  readonly isEvicted: (node: GraphNode) => boolean;
}

/** Options of a walk. */
interface GraphOptions {
  /** @default true */
  readonly isTransitive?: boolean;
}

/**
 * Walks from a root to all its dependencies, and chooses the newest revision of each module, in Ivy's order.
 *
 * Source: Ivy's documentation of conflict management, its log of conflicts, and results of Spark's resolver.
 */
export async function resolveGraph(
  root: ModuleDescriptor,
  descriptors: Descriptors,
  options: GraphOptions = {},
): Promise<Graph> {
  const nodes = new GraphNodes(root);
  const walk = new GraphWalk(nodes, descriptors, options.isTransitive !== false);
  await walk.reach({ node: nodes.root, parent: undefined, configuration: undefined }, "default");
  const all = nodes.all();
  evictOrphans(all, nodes.isEvicted);
  return { nodes: all, unresolved: walk.unresolved, isEvicted: nodes.isEvicted };
}

class GraphWalk {
  readonly unresolved: GraphNode[] = [];
  private readonly nodes: GraphNodes;
  private readonly descriptors: Descriptors;
  private readonly isTransitive: boolean;

  constructor(nodes: GraphNodes, descriptors: Descriptors, isTransitive: boolean) {
    this.nodes = nodes;
    this.descriptors = descriptors;
    this.isTransitive = isTransitive;
  }

  /**
   * Reaches a node in one of its configurations.
   *
   * @param evictedNodes nodes that it evicted on this visit: two that evict each other would cause an endless walk
   */
  async reach(requested: Visit, spec: string, evictedNodes: readonly GraphNode[] = []): Promise<void> {
    // An evicted node is not loaded, because it may be missing. A range in the request is unknown until it is loaded.
    const isRangeOfRoot = requested.parent?.node.isRoot === true && isDynamic(requested.node.id.version);
    if (needOfVisit(requested) !== undefined && !isRangeOfRoot) this.choose(requested);
    const hasChanges = await this.load(requested.node, spec);
    const node = requested.node.isRoot ? requested.node : this.nodes.of(requested.node.id);
    const visit = { ...requested, node };
    if (node.problem !== undefined) return;
    const dependency = needOfVisit(visit);
    if (dependency !== undefined && visit.configuration !== undefined)
      node.uses.add({ dependency, configuration: visit.configuration });
    if (hasChanges) this.choose(visit);
    if (this.nodes.isEvicted(node)) return await this.reachInstead(visit, spec, evictedNodes);
    if (isCircular(visit) || node.descriptor === undefined) return;
    for (const one of realConfigurations(node.descriptor, spec) ?? []) await this.walkConfiguration(visit, one);
    if (this.nodes.isEvicted(node)) await this.reachInstead(visit, spec, evictedNodes);
  }

  private choose(visit: Visit): void {
    const { isEvicted } = this.nodes;
    const dependenciesOf = (node: GraphNode, managers: Visit | undefined) =>
      this.nodes.needsOf(node, node.configurations, managers).map((need) => need.node);
    chooseNewest(visit, { isEvicted, dependenciesOf });
  }

  /** Requests the configurations of an evicted node from the node that evicted it. */
  private async reachInstead(visit: Visit, spec: string, evictedNodes: readonly GraphNode[]): Promise<void> {
    const losers = [...evictedNodes, visit.node];
    for (const chosen of withoutNodes(visit.node.evictedBy ?? [], losers)) {
      if (chosen.descriptor === undefined) markRequested(chosen, [spec]);
      else await this.reach({ ...visit, node: chosen }, spec, losers);
    }
  }

  /** Loads a node that is not evicted, and records the request. Returns whether there is something new to walk. */
  private async load(node: GraphNode, spec: string): Promise<boolean> {
    if (node.problem !== undefined || this.nodes.isEvicted(node)) return false;
    const hasChanges = node.descriptor === undefined || node.unwalked.size > 0;
    if (node.descriptor === undefined) {
      const described = await this.descriptors.load(node.id);
      if (described.ok) this.nodes.describe(node, described.descriptor);
      else node.problem = described.problem;
    }
    const real = node.descriptor && realConfigurations(node.descriptor, spec);
    if (real === undefined) {
      node.problem ??= `configuration not found: '${spec}'`;
      this.unresolved.push(node);
      return false;
    }
    for (const configuration of real) node.configurations.add(configuration);
    node.requested.add(spec);
    for (const done of [spec, ...real]) node.unwalked.delete(done);
    return hasChanges;
  }

  private async walkConfiguration(visit: Visit, configuration: string): Promise<void> {
    const { node } = visit;
    if (depthOf(visit) > maxDepth)
      throw submitError("SUBMIT_ERR_PACKAGE_LIMIT", { what: `more than ${maxDepth} nested dependencies` });
    const extended = node.descriptor?.configurations.get(configuration) ?? [];
    markRequested(node, extended);
    for (const one of extended) await this.reach(visit, one);
    if (node.walked.has(configuration) || !this.followsDependencies(visit)) return;
    const needs = this.nodes.needsOf(node, [configuration], visit.parent);
    for (const need of needs) {
      this.nodes.reach(need.node);
      this.descriptors.prefetch(need.node.id);
    }
    for (const need of needs) await this.walkNeed(visit, need, configuration);
    node.walked.add(configuration);
  }

  private followsDependencies(visit: Visit): boolean {
    const { node } = visit;
    if (node.isRoot) return true;
    const inherited = [...node.inheritedUses].map(({ dependency }) => dependency);
    return this.isTransitive && [needOfVisit(visit), ...inherited].some((one) => one?.isTransitive === true);
  }

  private async walkNeed(parent: Visit, { node, specs }: Need, configuration: string): Promise<void> {
    // The node of a range may have been merged with another one.
    const currentVisit = () => ({ node: this.nodes.of(node.id), parent, configuration });
    for (const spec of specs) await this.reach(currentVisit(), spec);
    const found = currentVisit();
    if (this.nodes.isEvicted(found.node) || found.node.problem !== undefined) return;
    for (const spec of [...found.node.unwalked]) await this.reach(found, spec);
  }
}

function depthOf(visit: Visit): number {
  let depth = 0;
  for (let one = visit.parent; one !== undefined; one = one.parent) depth += 1;
  return depth;
}

function needOfVisit({ node, parent }: Visit): DependencyDescriptor | undefined {
  return parent === undefined ? undefined : needOf(node, parent.node);
}
