import { createHash } from "node:crypto";
import { messageOf, submitError } from "../errors/submit-error.ts";
import { cacheDirectory } from "../host/cache-directory.ts";
import type { Host } from "../host/host.ts";
import type { DependencyContent, DependencyFacts } from "../plan/facts.ts";
import { localDependencies } from "../plan/local-dependencies.ts";
import { isUploaded, maxSecretBytes } from "../plan/staging.ts";
import type { SubmitRequest } from "../plan/submit-request.ts";
import { digestCache } from "../staging-client/digest-cache.ts";

/**
 * Reads size and kind of each local dependency, and its content if it is not uploaded to a file system.
 *
 * @throws SUBMIT_ERR_FILE_UNREADABLE, SUBMIT_ERR_STAGED_FILE_CHANGED
 */
export async function readDependencyFacts(host: Host, request: SubmitRequest): Promise<readonly DependencyFacts[]> {
  const found = localDependencies(request).map(({ path }) => inspect(host, path));
  if (isUploaded(request)) return found.map(({ uuid, sizeBytes }) => ({ uuid, sizeBytes }));
  const files = new Map(found.flatMap((one) => (one.isFile ? [[one.path, one.sizeBytes ?? 0]] : [])));
  const totalBytes = [...files.values()].reduce((sum, sizeBytes) => sum + sizeBytes, 0);
  const contents =
    totalBytes <= maxSecretBytes(request) ? readAll(host, [...files.keys()]) : await digestAll(host, [...files.keys()]);
  return found.map(({ path, uuid, sizeBytes }) => {
    const content = contents.get(path);
    return { uuid, sizeBytes, ...(content === undefined ? {} : { content }) };
  });
}

interface Found extends DependencyFacts {
  readonly path: string;
  readonly isFile: boolean;
}

function inspect({ files, random }: Host, path: string): Found {
  const info = files.info(path);
  const sizes: Readonly<Record<string, number | undefined>> = { file: info?.sizeBytes, directory: 0 };
  return { path, uuid: random.uuid(), sizeBytes: sizes[info?.kind ?? ""], isFile: info?.kind === "file" };
}

/** Reads small files once, so that the content sent has the digest computed here. */
function readAll(host: Host, paths: readonly string[]): ReadonlyMap<string, DependencyContent> {
  return new Map(paths.map((path) => [path, readContent(host, path)]));
}

function readContent({ files }: Host, path: string): DependencyContent {
  try {
    const bytes = files.readBytes(path) ?? new Uint8Array();
    return {
      digest: `sha256:${createHash("sha256").update(bytes).digest("hex")}`,
      isExecutable: ((files.info(path)?.mode ?? 0) & 0o111) !== 0,
      base64: Buffer.from(bytes).toString("base64"),
    };
  } catch (error) {
    const what = "the application or its dependencies";
    throw submitError("SUBMIT_ERR_FILE_UNREADABLE", { what, path, reason: messageOf(error) });
  }
}

/** Computes the digests of large files, which the cache keeps until a file changes. */
async function digestAll(host: Host, paths: readonly string[]): Promise<ReadonlyMap<string, DependencyContent>> {
  const cache = digestCache(host, `${cacheDirectory(host)}/staging`);
  const contents = new Map<string, DependencyContent>();
  for (const path of paths) {
    const { digest, executable } = await cache.digestOf(path);
    contents.set(path, { digest, isExecutable: executable });
  }
  cache.save();
  return contents;
}
