import { findModules } from "./find-modules.ts";
import { type ChosenArtifact, chosenArtifacts } from "./graph/chosen-artifacts.ts";
import { resolveGraph } from "./graph/resolve-graph.ts";
import { type ModuleRevision, printIvyRevision } from "./module-revision.ts";
import type { Exclusion } from "./parse-coordinates.ts";
import type { Repository } from "./repository.ts";
import { requestDescriptor } from "./request-descriptor.ts";

/** Packages to resolve. */
export interface PackageRequest {
  readonly coordinates: readonly ModuleRevision[];
  readonly exclusions: readonly Exclusion[];
  /** @default true */
  readonly isTransitive?: boolean;
}

/** A jar of the result, and the repository that has it. */
export interface ResolvedJar extends ChosenArtifact {
  readonly repository: Repository;
}

/** Result of a request: jars in Spark's order, or the missing modules in Ivy's wording. */
export type Resolution =
  | { readonly ok: true; readonly jars: readonly ResolvedJar[] }
  | { readonly ok: false; readonly problems: readonly string[] };

/** Resolves coordinates to their jars. */
export async function resolvePackages(
  { coordinates, exclusions, isTransitive }: PackageRequest,
  repositories: readonly Repository[],
): Promise<Resolution> {
  const modules = findModules(repositories);
  const root = requestDescriptor(coordinates, exclusions);
  const graph = await resolveGraph(root, modules, { isTransitive: isTransitive !== false });
  const problems = graph.unresolved.map(
    ({ id, problem }) => `unresolved dependency: ${printIvyRevision(id)}: ${problem}`,
  );
  if (problems.length > 0) return { ok: false, problems };
  const jars: ResolvedJar[] = [];
  for (const chosen of chosenArtifacts(graph)) {
    const repository = await modules.repositoryOf(chosen.module);
    if (chosen.artifact.extension === "jar" && repository !== undefined) jars.push({ ...chosen, repository });
  }
  return { ok: true, jars };
}
