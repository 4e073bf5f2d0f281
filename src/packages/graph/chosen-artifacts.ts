import type { ArtifactName } from "../module-descriptor.ts";
import type { ModuleRevision } from "../module-revision.ts";
import { isExcludedBelow } from "./exclusions.ts";
import type { GraphNode, Use } from "./node.ts";
import type { Graph } from "./resolve-graph.ts";

/** A file of a chosen module. */
export interface ChosenArtifact {
  readonly module: ModuleRevision;
  readonly artifact: ArtifactName;
}

/** Returns the files of all chosen modules, in the order in which the walk reached the modules. */
export function chosenArtifacts({ nodes, isEvicted }: Graph): readonly ChosenArtifact[] {
  return nodes
    .filter((node) => !isEvicted(node) && node.problem === undefined)
    .flatMap((node) => artifactsOf(node).map((artifact) => ({ module: node.resolved, artifact })));
}

function artifactsOf(node: GraphNode): readonly ArtifactName[] {
  const { descriptor } = node;
  if (descriptor === undefined || isExcludedBelow(node, node.id)) return [];
  const named = namedIn(node.uses);
  const offered = descriptor.artifacts
    .filter(({ configurations }) => configurations.some((name) => node.configurations.has(name)))
    .map(({ artifact }) => artifact);
  // If dependents name files, the module's published files are ignored.
  return unique(named.length > 0 ? [...named, ...namedIn(node.inheritedUses)] : offered);
}

function namedIn(uses: Iterable<Use>): readonly ArtifactName[] {
  return [...uses].flatMap(({ dependency, configuration }) => dependency.artifacts.get(configuration) ?? []);
}

function unique(artifacts: readonly ArtifactName[]): readonly ArtifactName[] {
  const keyed = artifacts.map((one) => [`${one.name} ${one.extension} ${one.classifier ?? ""}`, one] as const);
  return [...new Map(keyed).values()];
}
