import type { ArtifactName, DependencyDescriptor, ModuleDescriptor, ModulePattern } from "../module-descriptor.ts";
import { type ModuleRevision, moduleKey, printRevision } from "../module-revision.ts";
import type { EffectivePom } from "./effective-pom.ts";
import type { PomDependency, PomExclusion } from "./pom.ts";
import { knownScope, mappingOf, pomConfigurations } from "./scope-mapping.ts";

/** Packagings whose file is a jar. */
const jarPackagings = [
  "ejb",
  "bundle",
  "maven-plugin",
  "eclipse-plugin",
  "jbi-component",
  "jbi-shared-library",
  "orbit",
  "hk2-jar",
];

interface Draft {
  readonly id: ModuleRevision;
  readonly isTransitive: boolean;
  readonly mapping: Map<string, readonly string[]>;
  readonly artifacts: Map<string, readonly ArtifactName[]>;
  readonly exclusions: ModulePattern[];
}

/**
 * Converts a POM to Ivy's descriptor.
 *
 * @param hasJar whether the repository has a jar although the packaging is `pom`; called only for this packaging
 */
export async function describePom(pom: EffectivePom, hasJar: () => Promise<boolean>): Promise<ModuleDescriptor> {
  const { id, relocation, packaging } = pom;
  const shape = { id, configurations: pomConfigurations, exclusions: [] };
  if (relocation !== undefined && moduleKey(relocation) !== moduleKey(id))
    return { ...shape, dependencies: [relocated(relocation)], overrides: new Map(), artifacts: [] };
  const isOffered = packaging !== "pom" || (await hasJar());
  const artifact = mainArtifact(id, packaging);
  return {
    ...shape,
    dependencies: dependenciesOf(pom),
    overrides: overridesOf(pom),
    artifacts: isOffered ? [{ artifact, configurations: ["master"] }] : [],
  };
}

function mainArtifact({ artifact }: ModuleRevision, packaging: string): ArtifactName {
  if (packaging === "pom") return { name: artifact, type: "jar", extension: "jar", classifier: undefined };
  const extension = jarPackagings.includes(packaging) ? "jar" : packaging === "pear" ? "phar" : packaging;
  return { name: artifact, type: packaging, extension, classifier: undefined };
}

/** Builds the dependency on a relocated module, with all its configurations. */
function relocated(id: ModuleRevision): DependencyDescriptor {
  const mapping = new Map([...pomConfigurations.keys()].map((name) => [name, [name]] as const));
  return { id, isForced: true, isTransitive: true, mapping, artifacts: new Map(), exclusions: [] };
}

/** Managed versions apply to all modules below. */
function overridesOf({ management }: EffectivePom): ReadonlyMap<string, string> {
  return new Map([...management].flatMap(([key, { version }]) => (version === undefined ? [] : [[key, version]])));
}

function dependenciesOf(pom: EffectivePom): readonly DependencyDescriptor[] {
  const drafts = new Map<string, Draft>();
  for (const dependency of pom.dependencies) {
    const managed = pom.management.get(moduleKey(dependency));
    const { group, artifact } = dependency;
    const id = { group, artifact, version: textOf(dependency.version) ?? managed?.version ?? "" };
    // Some POMs depend on themselves.
    if (moduleKey(id) === moduleKey(pom.id)) continue;
    const exclusions = dependency.exclusions.length > 0 ? dependency.exclusions : (managed?.exclusions ?? []);
    const draft = drafts.get(printRevision(id)) ?? startDraft(id, exclusions);
    drafts.set(printRevision(id), draft);
    complete(draft, { dependency, managed, exclusions });
  }
  // Without further required files, the main file is the one that the module publishes.
  const artifactsOf = ({ artifacts }: Draft) =>
    [...artifacts.values()].flat().every(isMain) ? new Map<string, readonly ArtifactName[]>() : artifacts;
  return [...drafts.values()].map((draft) => ({ ...draft, artifacts: artifactsOf(draft), isForced: true }));
}

function textOf(text: string | undefined): string | undefined {
  return text === "" ? undefined : text;
}

function startDraft(id: ModuleRevision, exclusions: readonly PomExclusion[]): Draft {
  const isTransitive = !exclusions.some(isEverything);
  return { id, isTransitive, mapping: new Map(), artifacts: new Map(), exclusions: [] };
}

function isEverything({ group, artifact }: PomExclusion): boolean {
  return group === "*" && artifact === "*";
}

interface Need {
  readonly dependency: PomDependency;
  readonly managed: PomDependency | undefined;
  readonly exclusions: readonly PomExclusion[];
}

function complete(draft: Draft, { dependency, managed, exclusions }: Need): void {
  const written = textOf(dependency.scope);
  // An unknown scope is compile. The managed scope applies only if there is none.
  const scope = written === undefined ? (knownScope(managed?.scope) ?? "compile") : (knownScope(written) ?? "compile");
  const isOptional = dependency.optional?.toLowerCase() === "true";
  for (const [configuration, needed] of mappingOf(scope, isOptional)) {
    const before = draft.mapping.get(configuration) ?? [];
    draft.mapping.set(configuration, [...new Set([...before, ...needed])]);
  }
  const configuration = isOptional ? "optional" : scope;
  const before = draft.artifacts.get(configuration) ?? [];
  draft.artifacts.set(configuration, [...before, requiredArtifact(dependency)]);
  draft.exclusions.push(...exclusions.filter((one) => !isEverything(one)).map((one) => ({ ...one, isGlob: false })));
}

/** Returns the file that a dependency specifies by type and classifier, by default the module's main file. */
function requiredArtifact({ artifact, type = "jar", classifier }: PomDependency): ArtifactName {
  if (type === "test-jar") return { name: artifact, type, extension: "jar", classifier: classifier ?? "tests" };
  return { name: artifact, type, extension: jarPackagings.includes(type) ? "jar" : type, classifier };
}

function isMain({ type, classifier }: ArtifactName): boolean {
  return type === "jar" && classifier === undefined;
}
