import { archives, files, jars, submitPyFiles } from "../conf/entries/app.ts";
import { failure, type Issue, type Result, success } from "../errors/issue.ts";
import { type EntryKind, isEntryName } from "../values/staged-entry.ts";
import type { DependencyContent } from "./facts.ts";
import type { LocalDependency } from "./local-dependencies.ts";
import type { LocalizedEntry } from "./transports/localized-entry.ts";

/** A local dependency, and what was found at its path. */
export interface FoundDependency {
  readonly dependency: LocalDependency;
  readonly sizeBytes: number;
  readonly content: DependencyContent;
}

/** A dependency and the entry that stands for it; several may share one. */
export interface NamedDependency {
  readonly dependency: LocalDependency;
  readonly entry: LocalizedEntry;
  /** What the driver unpacks an archive as, where that is not the entry's name. */
  readonly fragment: string | undefined;
}

/**
 * Gives each dependency a name that is its alone in the localised folder and in the driver's working directory, into which Spark
 * copies: the same content twice is one entry; another jar or archive of a name gets a part of its digest in its own.
 *
 * Errors: SUBMIT_ERR_STAGING_NAME, SUBMIT_ERR_STAGING_NAME_CONFLICT.
 */
export function assignEntryNames(
  dependencies: readonly FoundDependency[],
): Result<readonly NamedDependency[]> {
  const placed: NamedDependency[] = [];
  const issues: Issue[] = [];
  for (const found of dependencies) {
    const result = place(found, placed);
    if (result.ok) placed.push(result.value);
    else issues.push(...result.issues);
  }
  return issues.length === 0 ? success(placed) : { ok: false, issues };
}

function place(found: FoundDependency, earlier: readonly NamedDependency[]): Result<NamedDependency> {
  const { dependency } = found;
  const kind = kindOf(dependency);
  // What these are called is of no importance to whoever uses what is in them.
  const isRenamed = kind === "jar" || kind === "archive";
  if (!isRenamed && !isEntryName(dependency.name))
    return failure("SUBMIT_ERR_STAGING_NAME", { path: dependency.path, name: dependency.name });
  const name = isRenamed ? distinctName(found, kind, earlier) : dependency.name;
  const placed = {
    dependency,
    entry: toEntry(found, kind, name),
    fragment: dependency.fragment ?? (name === dependency.name ? undefined : dependency.name),
  };
  const rival = earlier.find((other) => conflicts(other, placed));
  if (rival === undefined) return success(placed);
  return failure("SUBMIT_ERR_STAGING_NAME_CONFLICT", {
    name: workName(placed) ?? name,
    first: rival.dependency.path,
    second: dependency.path,
  });
}

function toEntry(
  { dependency, sizeBytes, content }: FoundDependency,
  kind: EntryKind,
  name: string,
): LocalizedEntry {
  const { digest, isExecutable } = content;
  return { kind, name, digest, size: sizeBytes, executable: isExecutable, path: dependency.path };
}

function kindOf({ key, uri }: LocalDependency): EntryKind {
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
  const isFree = earlier.every(
    ({ entry }) => entry.kind !== kind || entry.name !== name || entry.digest === digest,
  );
  if (isFree && isEntryName(name)) return name;
  const safe = name.replace(/[^A-Za-z0-9._-]/g, "_").slice(-longestStem);
  const [, stem = "", extension = ""] = /^(.*?)((?:\.tar)?\.[^.]+)?$/.exec(safe) ?? [];
  return `${stem}-${digest.slice("sha256:".length, "sha256:".length + 12)}${extension}`;
}

/** So that a digest's part still fits into a file's name. */
const longestStem = 200;

function conflicts(other: NamedDependency, own: NamedDependency): boolean {
  if (other.entry.digest === own.entry.digest) return false;
  const isSamePlace = other.entry.kind === own.entry.kind && other.entry.name === own.entry.name;
  const name = workName(own);
  return isSamePlace || (name !== undefined && name === workName(other));
}

/** What Spark calls it in the driver's working directory; the application itself is run from where it is. */
function workName({ dependency, entry, fragment }: NamedDependency): string | undefined {
  if (dependency.key === undefined) return undefined;
  return entry.kind === "archive" ? (fragment ?? entry.name) : entry.name;
}
