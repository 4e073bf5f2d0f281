import { createHash } from "node:crypto";
import type { Files } from "../host/host.ts";
import type { HttpResponse } from "../host/http-exchange.ts";
import type { Digest } from "../staging-client/bundle.ts";
import type { Destination } from "./entry-names.ts";
import { type GetRequest, get } from "./get.ts";
import { LocalizeError, networkError } from "./localize-error.ts";
import { type Localized, type Localizing, retrying } from "./localizing.ts";
import { type IncomingDirectory, modeOf, type PlacedFile } from "./placed-file.ts";

/** A file that a server has. */
export interface Download extends Destination {
  readonly request: Omit<GetRequest, "signal">;
  readonly digest?: Digest | undefined;
  /** In bytes. */
  readonly size?: number | undefined;
  readonly executable: boolean;
}

/** Gets a file and gives it its name; goes on where a cut connection left off. @returns its size */
export async function download(
  run: Localizing,
  incoming: IncomingDirectory,
  requested: Download,
): Promise<Localized> {
  const file = await incoming.open(requested);
  let validator: string | undefined;
  const attempt = async () => {
    const canResume = file.receivedBytes() > 0 && (requested.digest !== undefined || validator !== undefined);
    if (!canResume) file.restart();
    const headers = canResume ? rangeFrom(file.receivedBytes(), validator) : {};
    const request = { ...requested.request, signal: run.signal, headers };
    const answer = await get(request, [200, 206, 416]);
    validator = validatorOf(answer);
    await receive(answer, file, requested);
  };
  await retrying(run, attempt, file.receivedBytes);
  checkComplete(file, requested);
  const bytes = file.receivedBytes();
  file.place(requested);
  return { files: 1, bytes };
}

/** Whether a file with this content has its name already, from an earlier run. */
export async function isPlaced(
  { host, signal }: Localizing,
  { path, size, digest, executable }: Omit<Download, "entry" | "request">,
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

/** Returns the validator that identifies the file version. Weak tags do not. Source: RFC 9110, 13.1.5. */
function validatorOf({ headers: { etag, "last-modified": modified } }: HttpResponse): string | undefined {
  return etag?.startsWith('"') === true ? etag : modified;
}

async function receive(answer: HttpResponse, file: PlacedFile, requested: Download): Promise<void> {
  const { shown } = requested.request;
  const start = startOf(answer);
  if (start !== file.receivedBytes()) {
    file.restart();
    if (start !== 0) {
      answer.close();
      throw new LocalizeError("network", `${shown}: it sent another part than was asked for`, {
        isTransient: true,
      });
    }
  }
  checkSize(start + lengthOf(answer), answer, requested);
  try {
    for await (const chunk of answer.body) {
      file.append(chunk);
      if (requested.size !== undefined && file.receivedBytes() > requested.size)
        throw wrongSize(file.receivedBytes(), requested);
    }
  } catch (error) {
    throw networkError(error, shown);
  }
}

/** Returns the offset at which the response begins; never 0 for a response without content of the file. */
function startOf({ status, headers }: HttpResponse): number {
  if (status === 200) return 0;
  const start = /^bytes (\d+)-/.exec(headers["content-range"] ?? "")?.[1];
  return status === 206 && start !== undefined ? Number(start) : Number.NaN;
}

function lengthOf({ headers }: HttpResponse): number {
  return Number(headers["content-length"] ?? Number.NaN);
}

function checkSize(size: number, answer: HttpResponse, requested: Download): void {
  if (Number.isNaN(size) || requested.size === undefined || size === requested.size) return;
  answer.close();
  throw wrongSize(size, requested);
}

function wrongSize(size: number, { entry, size: requested, request }: Download): LocalizeError {
  return new LocalizeError("integrity", `${request.shown} has ${size} bytes instead of ${requested}`, {
    entry,
  });
}

function checkComplete(file: PlacedFile, requested: Download): void {
  const { entry, digest, size, request } = requested;
  if (size !== undefined && size !== file.receivedBytes()) throw wrongSize(file.receivedBytes(), requested);
  if (digest === undefined || digest === file.digest()) return;
  const message = `${request.shown} has the digest ${file.digest()} instead of ${digest}`;
  throw new LocalizeError("integrity", message, { entry });
}
