import { archives, files, jars, submitPyFiles } from "../conf/entries/app.ts";
import { internalResource, parseDependencyUri } from "../values/dependency-uri.ts";
import { excludedSteps } from "./feature-steps.ts";
import type { SubmitRequest } from "./submit-request.ts";

/** The lists of dependencies, in the order in which Spark uploads them. */
export const dependencyLists = [jars, files, archives, submitPyFiles] as const;

/** A file that only the submitter's machine has, and that the pods are to have. */
export interface LocalDependency {
  /** The setting that names it; `undefined` for the application itself. */
  readonly key: string | undefined;
  /** As the driver would get it, e.g. `file:/home/me/env.zip#env`. */
  readonly uri: string;
  /** Absolute, as the file system knows it. */
  readonly path: string;
  readonly fragment: string | undefined;
  /** The name that its copy gets. */
  readonly name: string;
}

/**
 * The dependencies of a submission that only the submitter's machine has, in the order in which Spark uploads them:
 * entries of `spark.jars`, `spark.files`, `spark.archives`, `spark.submit.pyFiles`, then a Python primary file. A Java
 * primary jar stands in `spark.jars`. Spark never uploads an R file; we do, where it is here.
 *
 * Source: Spark BasicDriverFeatureStep and DriverCommandFeatureStep.
 */
export function localDependencies(request: SubmitRequest): readonly LocalDependency[] {
  const { conf, strict } = request;
  const excluded = excludedSteps(conf);
  const lists = excluded.has("BasicDriverFeatureStep") ? [] : dependencyLists;
  const listed = lists.flatMap((entry) => {
    const value = conf.read(entry);
    return value.ok ? value.value.flatMap((uri) => localDependency(uri, { key: entry.key, strict })) : [];
  });
  return excluded.has("DriverCommandFeatureStep") ? listed : [...listed, ...localApplication(request)];
}

function localApplication({ appResource, strict }: SubmitRequest): readonly LocalDependency[] {
  const { kind, uri } = appResource;
  const travels = kind === "python" || (kind === "r" && !strict);
  return travels ? localDependency(uri, { key: undefined, strict }) : [];
}

/** True for `file:` and for what has no scheme; `local:` is in the image already. */
export function isSubmitterLocal(uri: string): boolean {
  return localDependency(uri, { key: undefined, strict: true }).length > 0;
}

/** None or one. */
function localDependency(
  uri: string,
  { key, strict }: { key: string | undefined; strict: boolean },
): readonly LocalDependency[] {
  const parsed = parseDependencyUri(uri);
  if (uri === internalResource || parsed.kind !== "submitterLocal") return [];
  const { path, fragment } = parsed;
  const ownName = path.split("/").findLast((segment) => segment !== "") ?? "";
  // Spark forgets the name that a file was to have; the name of the copy is the one that the driver sees.
  const isNamed = !strict && key === files.key && fragment !== undefined && isFileName(fragment);
  return [{ key, uri, path, fragment, name: isNamed ? fragment : ownName }];
}

function isFileName(text: string): boolean {
  return !["", ".", ".."].includes(text) && !text.includes("/");
}
