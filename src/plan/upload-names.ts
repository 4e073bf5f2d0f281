import { archives, jars } from "../conf/entries/app.ts";
import { type Issue, issue } from "../errors/issue.ts";
import type { LocalDependency } from "./local-dependencies.ts";

/** What the copy of a dependency is called. */
export interface UploadName {
  readonly name: string;
  /** What the driver unpacks an archive as. */
  readonly fragment: string | undefined;
}

interface Named extends UploadName {
  readonly dependency: LocalDependency;
  /** In the driver's working directory; the application itself is run from where it is. */
  readonly workName: string | undefined;
}

/**
 * Names for uploaded dependencies, in their order. Spark copies all of them into one folder, the driver's working directory, where
 * a later one replaces another of its name; so jars and archives of a name that is taken get a number into theirs.
 *
 * Shape: `util.jar`, then `util-2.jar`. The same path has one name, however often it is given.
 */
export function uploadNames(dependencies: readonly LocalDependency[]): readonly UploadName[] {
  return nameAll(dependencies);
}

/** Files whose names cannot be changed, because programs ask for them, and that would replace each other. */
export function uploadNameIssues(dependencies: readonly LocalDependency[]): readonly Issue[] {
  const named = nameAll(dependencies);
  return named.flatMap(({ dependency, workName }, index) => {
    const rival = named
      .slice(0, index)
      .find(
        (other) =>
          other.dependency.path !== dependency.path && workName !== undefined && other.workName === workName,
      );
    return rival === undefined
      ? []
      : [
          issue("SUBMIT_ERR_STAGING_NAME_CONFLICT", {
            name: workName ?? "",
            first: rival.dependency.path,
            second: dependency.path,
          }),
        ];
  });
}

function nameAll(dependencies: readonly LocalDependency[]): readonly Named[] {
  const named: Named[] = [];
  for (const dependency of dependencies) {
    const name = freeName(dependency, named);
    const isArchive = dependency.key === archives.key;
    const renamed = isArchive && name !== dependency.name ? dependency.name : undefined;
    const fragment = dependency.fragment ?? renamed;
    const workName = dependency.key === undefined ? undefined : isArchive ? (fragment ?? name) : name;
    named.push({ dependency, name, fragment, workName });
  }
  return named;
}

function freeName({ key, name, path }: LocalDependency, earlier: readonly Named[]): string {
  if (key !== jars.key && key !== archives.key) return name;
  const [, stem = "", extension = ""] = /^(.*?)((?:\.tar)?\.[^.]+)?$/.exec(name) ?? [];
  const taken = new Set(
    earlier
      .filter((other) => other.dependency.path !== path && other.dependency.key !== undefined)
      .map((other) => other.name),
  );
  const known = earlier.find((other) => other.dependency.path === path && other.dependency.key === key);
  if (known !== undefined) return known.name;
  let free = name;
  for (let number = 2; taken.has(free); number += 1) free = `${stem}-${number}${extension}`;
  return free;
}
