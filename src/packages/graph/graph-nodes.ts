import { isDynamic } from "../ivy-version.ts";
import { type DependencyDescriptor, type ModuleDescriptor, matchesModule } from "../module-descriptor.ts";
import { type ModuleRevision, moduleKey, printRevision } from "../module-revision.ts";
import { isExcludedBelow } from "./exclusions.ts";
import { addCaller, type GraphNode, inheritCallers, isFoundAmong, markRequested, newNode, type Visit } from "./node.ts";

/** Dependency on a node, with its configurations in mapping syntax. */
export interface Need {
  readonly node: GraphNode;
  readonly specs: readonly string[];
}

/** Reached nodes of a graph, and their dependencies. */
export class GraphNodes {
  readonly root: GraphNode;
  private readonly reached = new Set<GraphNode>();
  /** By requested and by resolved revision. */
  private readonly byRevision = new Map<string, GraphNode>();

  constructor(root: ModuleDescriptor) {
    this.root = { ...newNode(root.id, { isRoot: true }), descriptor: root };
  }

  /** Returns the nodes in the order in which they were reached, without the root. */
  all(): readonly GraphNode[] {
    return [...new Set([...this.reached].map(({ id }) => this.of(id)))];
  }

  /** Returns the node of a revision, otherwise a new one, which is kept only if it is reached. */
  of(id: ModuleRevision): GraphNode {
    return this.byRevision.get(printRevision(id)) ?? newNode(id);
  }

  reach(node: GraphNode): void {
    this.byRevision.set(printRevision(node.id), node);
    this.reached.add(node);
  }

  /** Sets the descriptor of a node. Merges the node of a range with the node of its resolved revision. */
  describe(node: GraphNode, descriptor: ModuleDescriptor): void {
    node.descriptor = descriptor;
    if (!isDynamic(node.id.version)) return;
    node.resolved = descriptor.id;
    const known = this.byRevision.get(printRevision(node.resolved));
    if (known === undefined) {
      this.byRevision.set(printRevision(node.resolved), node);
      return;
    }
    this.byRevision.set(printRevision(node.id), known);
    known.descriptor ??= descriptor;
    for (const [caller, need] of node.needs) known.needs.set(caller, need);
    inheritCallers(known, node);
  }

  readonly isEvicted = (node: GraphNode): boolean => {
    if (node.isOrphan) return true;
    const { evictedBy } = node;
    if (evictedBy === undefined || evictedBy.some(({ id }) => this.of(id) === node)) return false;
    return !isFoundAmong(node, this.root.chosenBelow.get(moduleKey(node.id)) ?? []);
  };

  /**
   * Returns the dependencies of some of a node's configurations. Records for each node which configurations are
   * needed.
   *
   * @param managers the nearest ancestor that manages its versions
   */
  needsOf(node: GraphNode, configurations: Iterable<string>, managers: Visit | undefined): readonly Need[] {
    const needs = new Map<string, Need>();
    for (const configuration of configurations) {
      for (const written of node.descriptor?.dependencies ?? []) {
        const specs = written.mapping.get(configuration) ?? [];
        if (specs.length === 0) continue;
        const dependency = mediate(managers, written);
        if (isExcluded(node, dependency)) continue;
        const key = printRevision(dependency.id);
        const before = needs.get(key);
        const needed = before?.node ?? this.of(dependency.id);
        addCaller(needed, node, dependency);
        markRequested(needed, specs);
        needs.set(key, { node: needed, specs: [...new Set([...(before?.specs ?? []), ...specs])] });
      }
    }
    return [...needs.values()];
  }
}

function isExcluded(node: GraphNode, { id }: DependencyDescriptor): boolean {
  if (!node.isRoot) return isExcludedBelow(node, id);
  return node.descriptor?.exclusions.some((pattern) => matchesModule(pattern, id)) === true;
}

/** Applies the managed version of a dependency. The farthest ancestor takes precedence. */
function mediate(managers: Visit | undefined, dependency: DependencyDescriptor): DependencyDescriptor {
  const key = moduleKey(dependency.id);
  let { version } = dependency.id;
  for (let one = managers; one !== undefined; one = one.parent)
    version = one.node.descriptor?.overrides.get(key) ?? version;
  if (version === dependency.id.version) return dependency;
  return { ...dependency, id: { ...dependency.id, version } };
}
