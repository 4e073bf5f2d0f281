import { jarsIvySettings } from "../conf/entries/app.ts";
import { stagingInitImage, stagingSecretMaxSize, stagingTransport } from "../conf/entries/localizing.ts";
import { packagesResolver } from "../conf/entries/packages.ts";
import { planDependencies } from "./dependencies.ts";
import { localDependencies } from "./local-dependencies.ts";
import { fetchesRemoteFiles } from "./remote-files.ts";
import type { SubmitRequest } from "./submit-request.ts";
import { base64Bytes } from "./transports/secret.ts";
import { uploadPath } from "./uploads.ts";

/** Schemes that every Spark image can read without packages. */
const commonSchemes: readonly string[] = ["file", "local", "http", "https", "ftp", "hdfs", "webhdfs", "swebhdfs"];

/**
 * Returns why the driver resolves the packages, as the end of a sentence; `undefined` if the submission does.
 *
 * @param isFile whether the location of Ivy's settings names a file on this machine
 */
export function whyDriverResolves(request: SubmitRequest, isFile: (location: string) => boolean): string | undefined {
  const { conf } = request;
  const resolver = conf.readOrAbsent(packagesResolver);
  if (resolver !== "auto") return resolver === "driver" ? `${packagesResolver.key} says so` : undefined;
  const ivySettings = conf.readOrAbsent(jarsIvySettings);
  if (ivySettings !== undefined && !isFile(ivySettings)) return `${jarsIvySettings.key} names no file on this machine`;
  if (conf.readOrAbsent(stagingTransport) === "none") return `${stagingTransport.key} allows no local files`;
  const scheme = remoteSchemes(request).find((found) => !commonSchemes.includes(found));
  return scheme === undefined ? undefined : `it may need them to read the files at ${scheme}:`;
}

/** Lists the schemes of the file systems from which the driver reads files of the submission. */
function remoteSchemes(request: SubmitRequest): readonly string[] {
  const { application, lists } = planDependencies(request);
  const uris = fetchesRemoteFiles(request) ? [] : [application, ...[...lists.values()].flat()];
  const remote = uris.flatMap((uri) => (uri?.kind === "remote" ? [uri.scheme] : []));
  const [, uploadScheme] = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(uploadPath(request) ?? "") ?? [];
  return [...remote, ...(uploadScheme === undefined ? [] : [uploadScheme.toLowerCase()])];
}

/**
 * Returns why jars cannot reach the driver's pod, as the end of a sentence; `undefined` if they can.
 *
 * @param sizeOf the size of a local file in bytes
 */
export function whyJarsStay(
  request: SubmitRequest,
  jarPaths: readonly string[],
  sizeOf: (path: string) => number,
): string | undefined {
  const { conf } = request;
  const isForced = conf.readOrAbsent(packagesResolver) !== "auto";
  if (isForced || conf.has(stagingInitImage) || uploadPath(request) !== undefined) return undefined;
  const paths = [...localDependencies(request).map(({ path }) => path), ...jarPaths];
  const total = paths.reduce((sum, path) => sum + base64Bytes(sizeOf(path)), 0);
  const limit = conf.readOrAbsent(stagingSecretMaxSize);
  if (total <= limit) return undefined;
  return `their jars are too large for Secrets (${total} of ${limit} bytes of base64), and ${stagingInitImage.key} is not set`;
}
