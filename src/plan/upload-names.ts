import { archives, jars } from "../conf/entries/app.ts";
import { type Issue, issue } from "../errors/issue.ts";
import type { LocalDependency } from "./local-dependencies.ts";

/** Name of the copy of a dependency. */
interface UploadName {
  readonly name: string;
  /** Directory into which the driver unpacks an archive. */
  readonly fragment: string | undefined;
}

interface Named extends UploadName {
  readonly dependency: LocalDependency;
  /** Name in the driver's working directory; `undefined` for the application, which Spark does not copy there. */
  readonly workName: string | undefined;
}

/**
 * Names uploaded dependencies, in their order.
 *
 * Spark copies all of them into the driver's working directory, where a later file replaces an earlier one of the same name.
 * Jars and archives with a name that is in use therefore get a number.
 *
 * Shape: `util.jar`, then `util-2.jar`. A path that occurs several times has one name.
 */
export function uploadNames(dependencies: readonly LocalDependency[]): readonly UploadName[] {
  return nameAll(dependencies);
}

/** Reports files that would replace each other and that programs open by name, so that they cannot be renamed. */
export function uploadNameIssues(dependencies: readonly LocalDependency[]): readonly Issue[] {
  const named = nameAll(dependencies);
  return named.flatMap(({ dependency, workName }, index) => {
    const earlier = named
      .slice(0, index)
      .find(
        (other) => other.dependency.path !== dependency.path && workName !== undefined && other.workName === workName,
      );
    return earlier === undefined
      ? []
      : [
          issue("SUBMIT_ERR_STAGING_NAME_CONFLICT", {
            name: workName ?? "",
            first: earlier.dependency.path,
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
