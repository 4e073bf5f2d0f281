import * as v from "valibot";
import { isSubmitError, submitError } from "../errors/submit-error.ts";
import { fileChunks } from "../host/file-chunks.ts";
import type { HttpResponse } from "../net/http-connections.ts";
import type { PendingUploads } from "./pending-uploads.ts";
import type { Blob } from "./protocol.ts";
import { retryUntilDeadline, TransientError } from "./retry.ts";
import { call, callFor, callOnce, type StagingCalls, shownServer } from "./staging-call.ts";
import { flagShape, textShape } from "./validate.ts";

/** A file whose content a server lacks. */
export interface LocalBlob extends Blob {
  readonly path: string;
}

/** An upload that the server has started. */
interface OpenUpload {
  readonly blob: LocalBlob;
  readonly uploadId: string;
  /** Number of bytes that the server has. */
  readonly offset: number;
}

/** Inputs of an upload besides its blob. */
export interface Uploading {
  readonly calls: StagingCalls;
  readonly pending: PendingUploads;
  readonly namespace: string;
}

/** Resumes or starts an upload. Returns `undefined` if the server already has the content. */
export async function openUpload(uploading: Uploading, blob: LocalBlob): Promise<OpenUpload | undefined> {
  const { calls, pending, namespace } = uploading;
  const { digest, size } = blob;
  const known = pending.load(digest);
  const offset = known === undefined ? undefined : await fetchOffset(calls, known);
  if (known !== undefined && offset !== undefined) return { blob, uploadId: known, offset };
  const json = { namespace, digest, size };
  const creation = { method: "POST", route: "/uploads", what: blob.path, json };
  const { exists, uploadId = "" } = await callFor(calls, uploadShape, creation);
  if (exists) return undefined;
  pending.save(digest, uploadId);
  return { blob, uploadId, offset: 0 };
}

const uploadShape = v.pipe(
  v.object({ exists: flagShape, uploadId: v.exactOptional(textShape) }, "an object"),
  v.check(({ exists, uploadId }) => exists || uploadId !== undefined, "an object with uploadId or exists"),
);

/**
 * Sends the missing part of an upload in pieces, and completes it. Starts again if the server has lost the upload.
 *
 * @param report receives the number of bytes sent; it can decrease after a lost connection
 */
export async function finishUpload(
  uploading: Uploading,
  upload: OpenUpload,
  report: (offset: number) => void,
): Promise<void> {
  const { calls, pending } = uploading;
  let current: OpenUpload | undefined = upload;
  const retries = {
    ...{ server: shownServer(calls), signal: calls.signal, timeoutMs: calls.timeoutMs },
    progress: () => current?.offset ?? 0,
  };
  await retryUntilDeadline(calls.host, retries, async () => {
    try {
      current ??= await openUpload(uploading, upload.blob);
      if (current === undefined) return;
      for await (const offset of sendPieces(calls, current, report)) current = { ...current, offset };
      await commit(calls, current);
    } catch (error) {
      if (error instanceof LostUpload) {
        pending.remove(upload.blob.digest);
        current = undefined;
      } else if (current !== undefined && !isSubmitError(error)) {
        // The server may have kept a part of an interrupted piece.
        const offset = await fetchOffset(calls, current.uploadId).catch(() => current?.offset);
        current = offset === undefined ? undefined : { ...current, offset };
      }
      report(current?.offset ?? 0);
      throw error;
    }
  });
  pending.remove(upload.blob.digest);
}

/** The server has deleted this upload. */
class LostUpload extends TransientError {}

/** Small enough for the request limits of most proxies, and to lose little with a connection. */
const pieceBytes = 16 * 1024 * 1024;

async function* sendPieces(
  calls: StagingCalls,
  { blob, uploadId, offset: start }: OpenUpload,
  report: (offset: number) => void,
): AsyncGenerator<number> {
  for (let offset = start; offset < blob.size; ) {
    const size = Math.min(pieceBytes, blob.size - offset);
    const response = await callOnce(calls, {
      ...{ method: "PATCH", route: routeOfUpload(uploadId), what: blob.path, accepted: [404, 409, 410] },
      headers: {
        "upload-offset": offset,
        "content-length": size,
        "content-type": "application/octet-stream",
      },
      body: reporting(fileChunks(calls.host.files, { path: blob.path, offset, size }), offset, report),
    });
    response.close();
    offset = offsetIn(response, blob);
    report(offset);
    yield offset;
  }
}

async function* reporting(
  chunks: AsyncIterable<Uint8Array>,
  start: number,
  report: (offset: number) => void,
): AsyncGenerator<Uint8Array> {
  let offset = start;
  for await (const chunk of chunks) {
    yield chunk;
    offset += chunk.length;
    report(offset);
  }
}

async function commit(calls: StagingCalls, { blob, uploadId }: OpenUpload): Promise<void> {
  const response = await callOnce(calls, {
    ...{
      method: "POST",
      route: `${routeOfUpload(uploadId)}:commit`,
      what: blob.path,
      accepted: [404, 410, 422],
    },
  });
  response.close();
  if (response.status === 422) throw submitError("SUBMIT_ERR_STAGED_FILE_CHANGED", { path: blob.path });
  if (response.status >= 400) throw new LostUpload("the server no longer has the upload");
}

/** Returns `undefined` if the server does not have the upload. */
async function fetchOffset(calls: StagingCalls, uploadId: string): Promise<number | undefined> {
  const route = routeOfUpload(uploadId);
  const response = await call(calls, { method: "HEAD", route, what: "an upload", accepted: [404, 410] });
  response.close();
  const offset = response.headers["upload-offset"];
  return response.status === 200 && typeof offset === "string" ? Number(offset) : undefined;
}

function offsetIn({ status, headers }: HttpResponse, { size }: Blob): number {
  const offset = Number(headers["upload-offset"] ?? Number.NaN);
  if (status === 404 || status === 410) throw new LostUpload("the server no longer has the upload");
  if (Number.isInteger(offset) && offset >= 0 && offset <= size) return offset;
  throw new TransientError("the response does not specify the offset of the upload");
}

function routeOfUpload(uploadId: string): string {
  return `/uploads/${encodeURIComponent(uploadId)}`;
}
