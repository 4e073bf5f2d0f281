import type { ModuleRevision } from "./module-revision.ts";

/** Artifacts and dependencies of a module in Ivy's terms, from a POM, an ivy.xml or a bare jar. */
export interface ModuleDescriptor {
  readonly id: ModuleRevision;
  /** Its configurations, and those that each extends. */
  readonly configurations: ReadonlyMap<string, readonly string[]>;
  readonly dependencies: readonly DependencyDescriptor[];
  /** Versions that it wants for modules anywhere below it, by module key; from `dependencyManagement`. */
  readonly overrides: ReadonlyMap<string, string>;
  readonly artifacts: readonly OfferedArtifact[];
  /** Modules that are wanted nowhere below it. Only what the user asks for has any. */
  readonly exclusions: readonly ModulePattern[];
}

/** An artifact, and the configurations that have it. */
export interface OfferedArtifact {
  readonly artifact: ArtifactName;
  readonly configurations: readonly string[];
}

/** A file of a module. */
export interface ArtifactName {
  readonly name: string;
  /** Ivy's type: a POM's packaging, `jar`, `bundle`, `test-jar`. */
  readonly type: string;
  /** File name extension. */
  readonly extension: string;
  readonly classifier: string | undefined;
}

/** One module's need of another. */
export interface DependencyDescriptor {
  readonly id: ModuleRevision;
  readonly isForced: boolean;
  readonly isTransitive: boolean;
  /** Configurations of the one that needs, each with those of the other that it needs; `a(b)` is `b` where there is no `a`. */
  readonly mapping: ReadonlyMap<string, readonly string[]>;
  /** Files that are wanted instead of those that the other offers, by configuration of the one that needs. */
  readonly artifacts: ReadonlyMap<string, readonly ArtifactName[]>;
  readonly exclusions: readonly ModulePattern[];
}

/** Pattern of module names. `*` matches any text if `isGlob` is true, otherwise only a complete name. */
export interface ModulePattern {
  readonly group: string;
  readonly artifact: string;
  readonly isGlob: boolean;
}

/** Whether a module is among those that a pattern names. */
export function matchesModule(pattern: ModulePattern, module: { group: string; artifact: string }): boolean {
  return (
    matches(pattern.group, module.group, pattern.isGlob) && matches(pattern.artifact, module.artifact, pattern.isGlob)
  );
}

function matches(pattern: string, name: string, isGlob: boolean): boolean {
  if (pattern === "*" || pattern === name) return true;
  if (!isGlob || !/[*?[]/.test(pattern)) return false;
  return globOf(pattern).test(name);
}

/** `*`, `?`, `[a-z]` and `{a,b}` are those of a shell. */
function globOf(pattern: string): RegExp {
  const parts = pattern.split(/(\*|\?|\[[^\]]*\])/);
  const texts = parts.map((part) => {
    if (part === "*") return ".*";
    if (part === "?") return ".";
    if (part.startsWith("[") && part.endsWith("]")) return part.replace(/^\[!/, "[^");
    return part.replace(/[\\^$.|?*+()[\]{}]/g, "\\$&");
  });
  return new RegExp(`^${texts.join("")}$`);
}

/** A module of which there is only a jar. */
export function bareDescriptor(id: ModuleRevision): ModuleDescriptor {
  const artifact = { name: id.artifact, type: "jar", extension: "jar", classifier: undefined };
  return {
    id,
    configurations: new Map([["default", []]]),
    dependencies: [],
    overrides: new Map(),
    artifacts: [{ artifact, configurations: ["default"] }],
    exclusions: [],
  };
}
