import { archives, files, jars, submitPyFiles } from "../conf/entries/app.ts";
import { failure, type Issue, type Result, success } from "../errors/issue.ts";
import { type EntryKind, isEntryName } from "../values/staged-entry.ts";
import type { DependencyContent } from "./facts.ts";
import type { LocalDependency } from "./local-dependencies.ts";
import type { LocalizedEntry } from "./transports/localized-entry.ts";

/** Local dependency with the content of its file. */
export interface FoundDependency {
  readonly dependency: LocalDependency;
  readonly sizeBytes: number;
  readonly content: DependencyContent;
}

/** Dependency and its name in the directory of localized files; several dependencies may share one entry. */
export interface PlacedDependency {
  /** `key`: of the setting that names the file; `undefined` for the application itself. */
  readonly dependency: Pick<LocalDependency, "key" | "uri">;
  readonly entry: Pick<LocalizedEntry, "kind" | "name"> & Partial<Pick<LocalizedEntry, "digest">>;
  /** Directory into which the driver unpacks an archive, if it is not the entry's name. */
  readonly fragment: string | undefined;
}

/** Dependency on a file of the submitter's machine. */
export interface NamedDependency extends PlacedDependency {
  readonly dependency: LocalDependency;
  readonly entry: LocalizedEntry;
}

/**
 * Assigns each dependency a unique name in the directory of localized files and in the driver's working directory, into which
 * Spark copies. Equal contents share one entry. A second jar or archive of the same name gets a part of its digest.
 *
 * Errors: SUBMIT_ERR_STAGING_NAME, SUBMIT_ERR_STAGING_NAME_CONFLICT.
 */
export function assignEntryNames(dependencies: readonly FoundDependency[]): Result<readonly NamedDependency[]> {
  const named: NamedDependency[] = [];
  const issues: Issue[] = [];
  for (const found of dependencies) {
    const result = assignName(found, named);
    if (result.ok) named.push(result.value);
    else issues.push(...result.issues);
  }
  return issues.length === 0 ? success(named) : { ok: false, issues };
}

function assignName(found: FoundDependency, earlier: readonly NamedDependency[]): Result<NamedDependency> {
  const { dependency } = found;
  const kind = kindOf(dependency);
  // Programs use the content of jars and archives, not their file names.
  const isRenamed = kind === "jar" || kind === "archive";
  if (!isRenamed && !isEntryName(dependency.name))
    return failure("SUBMIT_ERR_STAGING_NAME", { path: dependency.path, name: dependency.name });
  const name = isRenamed ? distinctName(found, kind, earlier) : dependency.name;
  const named = {
    dependency,
    entry: toEntry(found, kind, name),
    fragment: dependency.fragment ?? (name === dependency.name ? undefined : dependency.name),
  };
  const conflicting = earlier.find((other) => conflicts(other, named));
  if (conflicting === undefined) return success(named);
  return failure("SUBMIT_ERR_STAGING_NAME_CONFLICT", {
    name: workName(named) ?? name,
    first: conflicting.dependency.path,
    second: dependency.path,
  });
}

function toEntry({ dependency, sizeBytes, content }: FoundDependency, kind: EntryKind, name: string): LocalizedEntry {
  const { digest, isExecutable } = content;
  return { kind, name, digest, size: sizeBytes, executable: isExecutable, path: dependency.path };
}

/** Returns the kind of a dependency's entry. */
export function kindOf({ key, uri }: PlacedDependency["dependency"]): EntryKind {
  const kinds: Readonly<Record<string, EntryKind>> = {
    [jars.key]: "jar",
    [files.key]: "file",
    [archives.key]: "archive",
    [submitPyFiles.key]: "pyfile",
  };
  return kinds[key ?? ""] ?? (/\.[Rr]$/.test(uri) ? "file" : "pyfile");
}

function distinctName(
  { dependency, content: { digest } }: FoundDependency,
  kind: EntryKind,
  earlier: readonly NamedDependency[],
): string {
  const { name } = dependency;
  const isFree = earlier.every(({ entry }) => entry.kind !== kind || entry.name !== name || entry.digest === digest);
  if (isFree && isEntryName(name)) return name;
  const safe = name.replace(/[^A-Za-z0-9._-]/g, "_").slice(-maxStemLength);
  const [, stem = "", extension = ""] = /^(.*?)((?:\.tar)?\.[^.]+)?$/.exec(safe) ?? [];
  return `${stem}-${digest.slice("sha256:".length, "sha256:".length + 12)}${extension}`;
}

/** Leaves room for a part of the digest in a file name of 255 bytes. */
const maxStemLength = 200;

/** Whether two dependencies would have the same name, with different contents. Contents without a digest may differ. */
export function conflicts(other: PlacedDependency, own: PlacedDependency): boolean {
  if (own.entry.digest !== undefined && other.entry.digest === own.entry.digest) return false;
  const isSameEntry = other.entry.kind === own.entry.kind && other.entry.name === own.entry.name;
  const name = workName(own);
  return isSameEntry || (name !== undefined && name === workName(other));
}

/** Returns Spark's name for a copy in the driver's working directory; `undefined` for the application, which is not copied. */
function workName({ dependency, entry, fragment }: PlacedDependency): string | undefined {
  if (dependency.key === undefined) return undefined;
  return entry.kind === "archive" ? (fragment ?? entry.name) : entry.name;
}
