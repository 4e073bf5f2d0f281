import { createHash } from "node:crypto";
import { failure, type Issue, issuesOf, type Result, success } from "../errors/issue.ts";
import { isSubmitError, messageOf } from "../errors/submit-error.ts";
import { cacheDirectory } from "../host/cache-directory.ts";
import type { Host } from "../host/host.ts";
import type { DependencyContent, DependencyFacts } from "../plan/facts.ts";
import { localDependencies } from "../plan/local-dependencies.ts";
import { isUploaded, maxSecretBytes } from "../plan/staging.ts";
import type { SubmitRequest } from "../plan/submit-request.ts";
import { digestCache } from "../staging-client/digest-cache.ts";
import { nearestFile } from "./nearest-file.ts";

/** Facts of the local dependencies, and why some of them cannot be read. */
interface ReadDependencies {
  /** One item per local dependency. */
  readonly facts: readonly DependencyFacts[];
  readonly issues: readonly Issue[];
}

/**
 * Reads size and kind of each local dependency, and its content if it is not uploaded to a file system.
 *
 * Errors, one per file: SUBMIT_ERR_FILE_UNREADABLE, SUBMIT_ERR_STAGED_FILE_CHANGED.
 */
export async function readDependencyFacts(host: Host, request: SubmitRequest): Promise<ReadDependencies> {
  const found = localDependencies(request).map(({ path }) => inspect(host, path));
  if (isUploaded(request))
    return { facts: found.map(({ uuid, sizeBytes, nearest }) => ({ uuid, sizeBytes, nearest })), issues: [] };
  const files = new Map(found.flatMap((one) => (one.isFile ? [[one.path, one.sizeBytes ?? 0]] : [])));
  const totalBytes = [...files.values()].reduce((sum, sizeBytes) => sum + sizeBytes, 0);
  const contents =
    totalBytes <= maxSecretBytes(request) ? readAll(host, [...files.keys()]) : await digestAll(host, [...files.keys()]);
  const facts = found.map(({ path, uuid, sizeBytes, nearest }) => {
    const content = contents.get(path);
    return { uuid, sizeBytes, nearest, ...(content?.ok === true ? { content: content.value } : {}) };
  });
  return { facts, issues: [...contents.values()].flatMap(issuesOf) };
}

type Contents = ReadonlyMap<string, Result<DependencyContent>>;

interface Found extends DependencyFacts {
  readonly path: string;
  readonly isFile: boolean;
}

function inspect(host: Host, path: string): Found {
  const info = host.files.info(path);
  const sizes: Readonly<Record<string, number | undefined>> = { file: info?.sizeBytes, directory: 0 };
  const found = { path, uuid: host.random.uuid(), sizeBytes: sizes[info?.kind ?? ""], isFile: info?.kind === "file" };
  return info === undefined ? { ...found, nearest: nearestFile(host, path) } : found;
}

/** Reads small files once, so that the content sent has the digest computed here. */
function readAll(host: Host, paths: readonly string[]): Contents {
  return new Map(paths.map((path) => [path, readContent(host, path)]));
}

function readContent({ files }: Host, path: string): Result<DependencyContent> {
  try {
    const bytes = files.readBytes(path) ?? new Uint8Array();
    return success({
      digest: `sha256:${createHash("sha256").update(bytes).digest("hex")}`,
      isExecutable: ((files.info(path)?.mode ?? 0) & 0o111) !== 0,
      base64: Buffer.from(bytes).toString("base64"),
    });
  } catch (error) {
    const what = "the application or its dependencies";
    return failure("SUBMIT_ERR_FILE_UNREADABLE", { what, path, reason: messageOf(error) });
  }
}

/** Computes the digests of large files, which the cache keeps until a file changes. */
async function digestAll(host: Host, paths: readonly string[]): Promise<Contents> {
  const cache = digestCache(host, `${cacheDirectory(host)}/staging`);
  const contents = new Map<string, Result<DependencyContent>>();
  for (const path of paths) {
    try {
      const { digest, executable } = await cache.digestOf(path);
      contents.set(path, success({ digest, isExecutable: executable }));
    } catch (error) {
      if (!isSubmitError(error)) throw error;
      contents.set(path, { ok: false, issues: error.issues });
    }
  }
  cache.save();
  return contents;
}
