import { archives, files, jars, submitPyFiles } from "../conf/entries/app.ts";
import { fileUploadPath } from "../conf/entries/staging.ts";
import { type Issue, issue } from "../errors/issue.ts";
import { internalResource, parseDependencyUri } from "../values/dependency-uri.ts";
import type { SubmitRequest } from "./submit-request.ts";

const listEntries = [jars, files, archives, submitPyFiles];

/**
 * The dependencies of a submission that only the submitter's machine has, in the order in which Spark uploads them.
 *
 * Shape: `file:/home/me/a.jar`; entries of `spark.jars`, `spark.files`, `spark.archives`, `spark.submit.pyFiles`, then a
 * Python primary file. A Java primary jar stands in `spark.jars`; an R file is never uploaded.
 */
function localDependencies({ conf, appResource }: SubmitRequest): readonly string[] {
  const listed = listEntries.flatMap((entry) => {
    const value = conf.read(entry);
    return value.ok ? value.value : [];
  });
  const primary = appResource.kind === "python" ? [appResource.uri] : [];
  return [...listed, ...primary].filter(isSubmitterLocal);
}

/** Why local dependencies cannot reach the pods. */
export function localDependencyIssues(request: SubmitRequest): readonly Issue[] {
  const { conf } = request;
  const typed = conf.check([...listEntries, fileUploadPath]);
  const local = [...new Set(localDependencies(request))];
  if (typed.length > 0 || local.length === 0) return typed;
  const names = local.join(", ");
  return conf.has(fileUploadPath)
    ? [issue("SUBMIT_ERR_UPLOAD_UNSUPPORTED", { files: names })]
    : [issue("SUBMIT_ERR_UPLOAD_PATH_MISSING", { key: fileUploadPath.key, files: names })];
}

/** True for `file:` and for what has no scheme; `local:` is in the image already. */
export function isSubmitterLocal(uri: string): boolean {
  return uri !== internalResource && parseDependencyUri(uri).kind === "submitterLocal";
}
