import type { Behaviors } from "../conf/behaviors.ts";
import { files } from "../conf/entries/app.ts";
import { type DependencyUri, internalResource } from "../values/dependency-uri.ts";
import { planDependencies } from "./dependencies.ts";
import { excludedSteps } from "./feature-steps.ts";
import type { SubmitRequest } from "./submit-request.ts";

/** A file that only the submitter's machine has, and that the pods need. */
export interface LocalDependency {
  /** Key of the setting that names the file; `undefined` for the application itself. */
  readonly key: string | undefined;
  /** Before staging, e.g. `file:/home/me/env.zip#env`. */
  readonly uri: string;
  /** Absolute path, decoded. */
  readonly path: string;
  readonly fragment: string | undefined;
  /** Name of the copy. */
  readonly name: string;
}

/**
 * Selects the dependencies that only the submitter's machine has, in the order in which Spark uploads them: entries of
 * `spark.jars`, `spark.files`, `spark.archives`, `spark.submit.pyFiles`, then a Python primary file.
 *
 * A Java primary jar is in `spark.jars`. Spark never uploads an R file; Firesteel does when the file exists here.
 * Source: Spark BasicDriverFeatureStep and DriverCommandFeatureStep.
 */
export function localDependencies(request: SubmitRequest): readonly LocalDependency[] {
  const { conf, behaviors } = request;
  const { application, lists } = planDependencies(request);
  const excluded = excludedSteps(conf);
  const listed = [...lists].flatMap(([key, uris]) => uris.flatMap((uri) => localDependency(uri, { key, behaviors })));
  return [
    ...(excluded.has("BasicDriverFeatureStep") ? [] : listed),
    ...(excluded.has("DriverCommandFeatureStep") || application === undefined || !isUploadedKind(request)
      ? []
      : localDependency(application, { key: undefined, behaviors })),
  ];
}

function isUploadedKind({ appResource: { kind }, behaviors }: SubmitRequest): boolean {
  return kind === "python" || (kind === "r" && behaviors.rApplications === "uploaded");
}

/** Whether a URI is `file:` or has no scheme. Files of `local:` are in the image already. */
export function isSubmitterLocal(uri: DependencyUri): uri is DependencyUri & { kind: "submitterLocal" } {
  // A list may contain `spark-internal`, which Spark never resolves.
  return uri.kind === "submitterLocal" && uri.text !== internalResource;
}

/** Returns one dependency, or none if the file is elsewhere. */
function localDependency(
  uri: DependencyUri,
  { key, behaviors }: { key: string | undefined; behaviors: Pick<Behaviors, "fileFragments"> },
): readonly LocalDependency[] {
  if (!isSubmitterLocal(uri)) return [];
  const { text, path, fragment } = uri;
  const ownName = path.split("/").findLast((segment) => segment !== "") ?? "";
  // Spark ignores the name in the fragment of a file, so the driver sees the name of the copy.
  const isNamed =
    behaviors.fileFragments === "kept" && key === files.key && fragment !== undefined && isFileName(fragment);
  return [{ key, uri: text, path, fragment, name: isNamed ? fragment : ownName }];
}

function isFileName(text: string): boolean {
  return !["", ".", ".."].includes(text) && !text.includes("/");
}
