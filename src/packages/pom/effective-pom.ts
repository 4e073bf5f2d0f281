import { exactVersion } from "../ivy-version.ts";
import type { ModuleRevision } from "../module-revision.ts";
import { moduleKey, printRevision } from "../module-revision.ts";
import { isActiveProfile } from "./active-profile.ts";
import { type Pom, type PomDependency, PomProblem } from "./pom.ts";
import { type PomProperties, propertiesOf, replaceProperties } from "./properties.ts";

/** A POM merged with its parents and imports, as Ivy merges them. */
export interface EffectivePom {
  readonly id: ModuleRevision;
  readonly packaging: string;
  readonly relocation: ModuleRevision | undefined;
  readonly properties: PomProperties;
  /** Own and inherited `<properties>` before replacement, which a child inherits. */
  readonly rawProperties: PomProperties;
  /** Own first, then the parent's, after replacement. */
  readonly dependencies: readonly PomDependency[];
  /** The same before replacement, which a child inherits. */
  readonly rawDependencies: readonly PomDependency[];
  /** By module key. The later of two entries for one module applies, regardless of their types. */
  readonly management: ReadonlyMap<string, PomDependency>;
  readonly rawManagement: readonly Managed[];
}

/** An entry of `dependencyManagement`. Imported entries are not replaced again. */
export interface Managed {
  readonly dependency: PomDependency;
  readonly isImported: boolean;
}

/** Loads the effective POM of a module; rejects if there is none. */
type LoadPom = (id: ModuleRevision) => Promise<EffectivePom>;

const none: ReadonlyMap<string, string> = new Map();

/**
 * Merges a POM with its parents and imports.
 *
 * @throws PomProblem if a parent or an import is missing, or is the POM itself
 */
export async function effectivePom(pom: Pom, load: LoadPom): Promise<EffectivePom> {
  const parent = await parentOf(pom, load);
  const known = propertiesOf(pom, parent?.rawProperties ?? none);
  const active = pom.profiles.filter((profile) => isActiveProfile(profile, known));
  const own = [...pom.properties, ...active.flatMap(({ properties }) => properties)];
  const properties = propertiesOf({ ...pom, properties: own }, parent?.rawProperties ?? none);
  const replace = (text: string | undefined) => (text === undefined ? undefined : replaceProperties(text, properties));
  const id = {
    group: replace(pom.group ?? pom.parent?.group) ?? "",
    artifact: replace(pom.artifact) ?? "",
    version: replace(pom.version ?? pom.parent?.version) ?? "",
  };
  const rawDependencies = [...pom.dependencies, ...(parent?.rawDependencies ?? [])];
  const profiled = active.flatMap(({ dependencies }) => dependencies);
  const managed = [pom, ...active].flatMap(({ management }) => management);
  const ownManagement = await withImports(managed, properties, load);
  const rawManagement = [...(parent?.rawManagement ?? []), ...ownManagement];
  const management = rawManagement.map(({ dependency, isImported }) =>
    isImported ? dependency : replaceIn(dependency, properties),
  );
  const { relocation } = pom;
  return {
    id,
    packaging: replace(pom.packaging) ?? "jar",
    relocation: relocation && {
      group: replace(relocation.group) ?? id.group,
      artifact: replace(relocation.artifact) ?? id.artifact,
      version: exactVersion(replace(relocation.version) ?? id.version),
    },
    properties,
    rawProperties: firstByName([...own, ...(parent?.rawProperties ?? none)]),
    dependencies: [...rawDependencies, ...profiled].map((one) => replaceIn(one, properties)),
    rawDependencies: [...rawDependencies, ...profiled],
    management: new Map(management.map((one) => [moduleKey(one), one])),
    rawManagement,
  };
}

/** Keeps the first of the properties with the same name. */
function firstByName(pairs: readonly (readonly [string, string])[]): PomProperties {
  return new Map([...pairs].reverse());
}

async function parentOf(pom: Pom, load: LoadPom): Promise<EffectivePom | undefined> {
  if (pom.parent === undefined) return undefined;
  const properties = propertiesOf(pom, none);
  const { group, artifact, version } = pom.parent;
  return await load({
    group: replaceProperties(group, properties),
    artifact: replaceProperties(artifact, properties),
    version: exactVersion(replaceProperties(version, properties)),
  });
}

/** Inserts imported management entries at the position of their imports. */
async function withImports(
  entries: readonly PomDependency[],
  properties: PomProperties,
  load: LoadPom,
): Promise<readonly Managed[]> {
  const lists = entries.map(async (dependency): Promise<readonly Managed[]> => {
    const replaced = replaceIn(dependency, properties);
    if (replaced.scope !== "import") return [{ dependency, isImported: false }];
    const { group, artifact, version = "" } = replaced;
    const id = { group, artifact, version };
    if (version === "") throw new PomProblem(`it imports ${printRevision(id)} without a version`);
    const imported = await load(id);
    return [...imported.management.values()].map((one) => ({ dependency: one, isImported: true }));
  });
  return (await Promise.all(lists)).flat();
}

function replaceIn(dependency: PomDependency, properties: PomProperties): PomDependency {
  const replace = (text: string) => replaceProperties(text, properties);
  const maybe = (text: string | undefined) => (text === undefined ? undefined : replace(text));
  return {
    group: replace(dependency.group),
    artifact: replace(dependency.artifact),
    version: dependency.version === undefined ? undefined : exactVersion(replace(dependency.version)),
    scope: maybe(dependency.scope),
    type: maybe(dependency.type),
    classifier: maybe(dependency.classifier),
    optional: maybe(dependency.optional),
    exclusions: dependency.exclusions.map(({ group, artifact }) => ({
      group: replace(group),
      artifact: replace(artifact),
    })),
  };
}
