import { files } from "../conf/entries/app.ts";
import { stagingRemoteFiles } from "../conf/entries/localizing.ts";
import { failure, type Issue, type Result, success } from "../errors/issue.ts";
import { percentDecoded } from "../values/percent-decoding.ts";
import { isEntryName } from "../values/staged-entry.ts";
import { planDependencies } from "./dependencies.ts";
import { excludedSteps } from "./feature-steps.ts";
import { conflicts, kindOf, type PlacedDependency } from "./localized-entries.ts";
import type { SubmitRequest } from "./submit-request.ts";

/** Schemes of the remote files that the init container can fetch. Spark fetches those of other schemes. */
const fetchedSchemes: readonly string[] = ["http", "https", "s3a", "hdfs", "webhdfs", "swebhdfs"];

/** Remote file that the init container fetches, and its name in the directory of localized files. */
export interface RemoteFile extends PlacedDependency {
  readonly dependency: PlacedDependency["dependency"] & { readonly shown: string };
}

/** Whether the init container fetches remote files, instead of Spark. */
export function fetchesRemoteFiles({ conf, behaviors }: SubmitRequest): boolean {
  const fetcher = conf.read(stagingRemoteFiles);
  return behaviors.localFiles !== "spark" && fetcher.ok && fetcher.value === "initContainer";
}

/**
 * Assigns names to the remote files of a submission that the init container fetches, in the order of their settings.
 *
 * Errors: SUBMIT_ERR_STAGING_NAME, SUBMIT_ERR_STAGING_NAME_CONFLICT.
 */
export function assignRemoteNames(
  request: SubmitRequest,
  local: readonly (PlacedDependency & { readonly dependency: { readonly path: string } })[],
): Result<readonly RemoteFile[]> {
  if (!fetchesRemoteFiles(request)) return success([]);
  const named: RemoteFile[] = [];
  const issues: Issue[] = [];
  const others = local.map((own) => ({ ...own, dependency: { ...own.dependency, shown: own.dependency.path } }));
  for (const found of remoteFiles(request)) {
    const result = requireName(found, [...others, ...named]);
    if (result.ok) named.push(result.value);
    else issues.push(...result.issues);
  }
  return issues.length === 0 ? success(named) : { ok: false, issues };
}

function remoteFiles(request: SubmitRequest): readonly RemoteFile[] {
  const { application, lists } = planDependencies(request);
  const { kind } = request.appResource;
  const listed = [...lists].flatMap(([key, uris]) => uris.map((uri) => ({ key, uri })));
  // A Java application is in the list of jars.
  const isListed =
    application === undefined || kind === "java" || excludedSteps(request.conf).has("DriverCommandFeatureStep");
  const all = [...listed, ...(isListed ? [] : [{ key: undefined, uri: application }])];
  return all.flatMap(({ key, uri }) =>
    uri.kind === "remote" && fetchedSchemes.includes(uri.scheme) ? [remoteFile(key, uri)] : [],
  );
}

function remoteFile(
  key: string | undefined,
  { text, fragment }: { readonly text: string; readonly fragment: string | undefined },
): RemoteFile {
  const [, address = "", path = ""] = /^([^:]+:\/\/[^/?#]*)([^?#]*)/.exec(text) ?? [];
  const ownName = percentDecoded(path.split("/").findLast((segment) => segment !== "") ?? "");
  const name = key === files.key && fragment !== undefined ? fragment : ownName;
  // User, password and query can be secrets.
  const shown = `${address.replace(/\/\/.*@/, "//")}${path}`;
  const dependency = { key, uri: text, shown };
  return { dependency, entry: { kind: kindOf(dependency), name }, fragment };
}

function requireName(found: RemoteFile, earlier: readonly RemoteFile[]): Result<RemoteFile> {
  const { dependency, entry } = found;
  if (!isEntryName(entry.name)) return failure("SUBMIT_ERR_STAGING_NAME", { path: dependency.shown, name: entry.name });
  const conflicting = earlier.find((other) => other.dependency.uri !== dependency.uri && conflicts(other, found));
  if (conflicting === undefined) return success(found);
  const fields = { name: entry.name, first: conflicting.dependency.shown, second: dependency.shown };
  return failure("SUBMIT_ERR_STAGING_NAME_CONFLICT", fields);
}
