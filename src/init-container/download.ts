import { createHash } from "node:crypto";
import type { Files } from "../host/host.ts";
import type { HttpResponse } from "../net/http-connections.ts";
import type { Digest } from "../staging-client/bundle.ts";
import type { Destination } from "./entry-names.ts";
import { type GetRequest, get } from "./get.ts";
import { type IncomingDirectory, type IncomingFile, modeOf } from "./incoming-file.ts";
import { LocalizeError, networkError } from "./localize-error.ts";
import { type LocalizedFiles, type LocalizeRun, retryTransient } from "./localize-run.ts";

/** A file to download, and its destination. */
export interface Download extends Destination {
  readonly request: Omit<GetRequest, "signal">;
  /** URLs of other servers that may have the file instead, such as the other NameNodes of an HDFS. @default none */
  readonly alternatives?: readonly URL[];
  readonly digest?: Digest | undefined;
  /** In bytes. */
  readonly size?: number | undefined;
  readonly executable: boolean;
}

/**
 * Downloads a file and moves it to its destination. Resumes after a lost connection if the digest is known or the server has
 * sent a validator.
 *
 * @throws LocalizeError
 */
export async function download(
  run: LocalizeRun,
  incoming: IncomingDirectory,
  requested: Download,
): Promise<LocalizedFiles> {
  const file = await incoming.open(requested);
  let validator: string | undefined;
  const attempt = async () => {
    const canResume = file.receivedBytes() > 0 && (requested.digest !== undefined || validator !== undefined);
    if (!canResume) file.restart();
    const headers = canResume ? rangeFrom(file.receivedBytes(), validator) : {};
    const response = await getFromAny(run, requested, headers);
    validator = validatorOf(response);
    await receive(response, file, requested);
  };
  await retryTransient(run, attempt, file.receivedBytes);
  checkComplete(file, requested);
  const bytes = file.receivedBytes();
  file.moveTo(requested);
  return { files: 1, bytes };
}

/** Requests a file from the first server that has it. A permanent failure is that of the active server, so it is the one that is thrown. */
async function getFromAny(
  { signal }: LocalizeRun,
  { request, alternatives = [] }: Download,
  headers: Readonly<Record<string, string>>,
): Promise<HttpResponse> {
  const failures: LocalizeError[] = [];
  for (const url of [request.url, ...alternatives]) {
    try {
      return await get({ ...request, url, signal, headers }, [200, 206, 416]);
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof LocalizeError)) throw error;
      failures.push(error);
    }
  }
  throw failures.find(({ isTransient }) => !isTransient) ?? failures.at(-1);
}

/** Returns whether an earlier run has placed this file: same digest, size and mode. Files without a known digest never match. */
export async function isPlaced(
  { host, signal }: LocalizeRun,
  { path, size, digest, executable }: Pick<Download, "path" | "size" | "digest" | "executable">,
): Promise<boolean> {
  const info = host.files.info(path, { followLinks: false });
  if (digest === undefined || info?.kind !== "file" || info.mode !== modeOf({ executable })) return false;
  if (size !== undefined && size !== info.sizeBytes) return false;
  return (await digestOf(host.files, path, signal)) === digest;
}

const chunkBytes = 1024 * 1024;

async function digestOf(files: Files, path: string, signal: AbortSignal): Promise<Digest> {
  const hash = createHash("sha256");
  for (let offset = 0; ; offset += chunkBytes) {
    const chunk = files.readRange(path, offset, chunkBytes) ?? new Uint8Array();
    hash.update(chunk);
    if (chunk.length < chunkBytes) return `sha256:${hash.digest("hex")}`;
    await new Promise((resolve) => setImmediate(resolve));
    signal.throwIfAborted();
  }
}

function rangeFrom(offset: number, validator: string | undefined): Record<string, string> {
  return { range: `bytes=${offset}-`, ...(validator === undefined ? {} : { "if-range": validator }) };
}

/** Returns the validator for `If-Range`. Weak entity tags are not allowed there. Source: RFC 9110, 13.1.5. */
function validatorOf({ headers: { etag, "last-modified": modified } }: HttpResponse): string | undefined {
  return etag?.startsWith('"') === true ? etag : modified;
}

async function receive(response: HttpResponse, file: IncomingFile, requested: Download): Promise<void> {
  const { shown } = requested.request;
  const start = startOf(response);
  if (start !== file.receivedBytes()) {
    file.restart();
    if (start !== 0) {
      response.close();
      throw new LocalizeError("network", `${shown}: the server sent a different range than requested`, {
        isTransient: true,
      });
    }
  }
  checkSize(start + lengthOf(response), response, requested);
  try {
    for await (const chunk of response.body) {
      file.append(chunk);
      if (requested.size !== undefined && file.receivedBytes() > requested.size)
        throw wrongSize(file.receivedBytes(), requested);
    }
  } catch (error) {
    throw networkError(error, shown);
  }
}

/** Returns the offset of the first byte in the response, or `NaN` if the response has no content of the file. */
function startOf({ status, headers }: HttpResponse): number {
  if (status === 200) return 0;
  const start = /^bytes (\d+)-/.exec(headers["content-range"] ?? "")?.[1];
  return status === 206 && start !== undefined ? Number(start) : Number.NaN;
}

function lengthOf({ headers }: HttpResponse): number {
  return Number(headers["content-length"] ?? Number.NaN);
}

function checkSize(size: number, response: HttpResponse, requested: Download): void {
  if (Number.isNaN(size) || requested.size === undefined || size === requested.size) return;
  response.close();
  throw wrongSize(size, requested);
}

function wrongSize(size: number, { entry, size: requested, request }: Download): LocalizeError {
  return new LocalizeError("integrity", `${request.shown} has ${size} bytes instead of ${requested}`, {
    entry,
  });
}

function checkComplete(file: IncomingFile, requested: Download): void {
  const { entry, digest, size, request } = requested;
  if (size !== undefined && size !== file.receivedBytes()) throw wrongSize(file.receivedBytes(), requested);
  if (digest === undefined || digest === file.digest()) return;
  const message = `${request.shown} has the digest ${file.digest()} instead of ${digest}`;
  throw new LocalizeError("integrity", message, { entry });
}
