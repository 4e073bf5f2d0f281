import type { ModuleRevision } from "./module-revision.ts";

/** Artifacts and dependencies of a module in Ivy's terms, from a POM, an ivy.xml or a bare jar. */
export interface ModuleDescriptor {
  readonly id: ModuleRevision;
  /** Configurations, and those that each extends. */
  readonly configurations: ReadonlyMap<string, readonly string[]>;
  readonly dependencies: readonly DependencyDescriptor[];
  /** Versions for modules anywhere below it, by module key; from `dependencyManagement`. */
  readonly overrides: ReadonlyMap<string, string>;
  readonly artifacts: readonly OfferedArtifact[];
  /** Modules excluded anywhere below it. Only the user's request has any. */
  readonly exclusions: readonly ModulePattern[];
}

/** An artifact, and the configurations that contain it. */
interface OfferedArtifact {
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

/** Dependency of one module on another. */
export interface DependencyDescriptor {
  readonly id: ModuleRevision;
  readonly isForced: boolean;
  readonly isTransitive: boolean;
  /** Required configurations of the dependency, by configuration of the dependent; `a(b)` is `b` if there is no `a`. */
  readonly mapping: ReadonlyMap<string, readonly string[]>;
  /** Files required instead of the published ones, by configuration of the dependent. */
  readonly artifacts: ReadonlyMap<string, readonly ArtifactName[]>;
  readonly exclusions: readonly ModulePattern[];
}

/** Pattern of module names. `*` matches any text if `isGlob` is true, otherwise only a complete name. */
export interface ModulePattern {
  readonly group: string;
  readonly artifact: string;
  readonly isGlob: boolean;
}

/** Whether a module matches a pattern. */
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

/** Supports `*`, `?` and `[a-z]`, as a shell does. */
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

/** Builds the descriptor of a module that only has a jar. */
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
