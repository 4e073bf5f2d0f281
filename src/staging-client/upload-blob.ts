import { isSubmitError, submitError } from "../errors/submit-error.ts";
import { fileChunks } from "../host/file-chunks.ts";
import type { HttpResponse } from "../net/http-connections.ts";
import { jsonObject } from "./json-object.ts";
import type { UploadNotes } from "./pending-uploads.ts";
import type { Blob } from "./protocol.ts";
import { retryUntilDeadline, TransientError } from "./retry.ts";
import { call, callForJson, callOnce, type StagingCalls, shownServer } from "./staging-call.ts";

/** A file whose content a server lacks. */
export interface LocalBlob extends Blob {
  readonly path: string;
}

/** An upload that the server knows, and how far it has it. */
export interface OpenUpload {
  readonly blob: LocalBlob;
  readonly uploadId: string;
  /** In bytes. */
  readonly offset: number;
}

/** Inputs of an upload besides its blob. */
export interface Uploading {
  readonly calls: StagingCalls;
  readonly notes: UploadNotes;
  readonly namespace: string;
}

/** Takes up an upload again, or begins one. `undefined`: the server has the content by now. */
export async function openUpload(uploading: Uploading, blob: LocalBlob): Promise<OpenUpload | undefined> {
  const { calls, notes, namespace } = uploading;
  const { digest, size } = blob;
  const known = notes.recall(digest);
  const offset = known === undefined ? undefined : await fetchOffset(calls, known);
  if (known !== undefined && offset !== undefined) return { blob, uploadId: known, offset };
  const json = { namespace, digest, size };
  const what = blob.path;
  const response = await callForJson(calls, { method: "POST", route: "/uploads", what, json });
  const problems: string[] = [];
  const fields = jsonObject(response, "", problems);
  if (fields.flag("exists")) return undefined;
  const uploadId = fields.text("uploadId");
  if (problems.length > 0) throw malformedResponse(calls, what, problems);
  notes.note(digest, uploadId);
  return { blob, uploadId, offset: 0 };
}

/** An answer of the server that cannot be used. */
export function malformedResponse(calls: StagingCalls, what: string, problems: readonly string[]): Error {
  const message = `its answer cannot be used: ${problems.join("; ")}`;
  return submitError("SUBMIT_ERR_STAGING_REJECTED", {
    server: shownServer(calls),
    what,
    status: 200,
    message,
  });
}

/**
 * Sends the missing part of an upload in pieces, and completes it. Starts again if the server has lost the upload.
 *
 * @param tell receives the number of bytes sent; it can decrease after a lost connection
 */
export async function finishUpload(
  uploading: Uploading,
  upload: OpenUpload,
  report: (offset: number) => void,
): Promise<void> {
  const { calls, notes } = uploading;
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
        notes.forget(upload.blob.digest);
        current = undefined;
      } else if (current !== undefined && !isSubmitError(error)) {
        // Of a piece that was cut, the server may have kept a part.
        const offset = await fetchOffset(calls, current.uploadId).catch(() => current?.offset);
        current = offset === undefined ? undefined : { ...current, offset };
      }
      report(current?.offset ?? 0);
      throw error;
    }
  });
  notes.forget(upload.blob.digest);
}

/** The server knows this upload no more. */
class LostUpload extends TransientError {}

/** Small enough that a proxy on the way takes it for a request like others, and that little is lost with a connection. */
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
  if (response.status >= 400) throw new LostUpload("it has lost the upload");
}

/** `undefined` when the server does not know the upload. */
async function fetchOffset(calls: StagingCalls, uploadId: string): Promise<number | undefined> {
  const route = routeOfUpload(uploadId);
  const response = await call(calls, { method: "HEAD", route, what: "an upload", accepted: [404, 410] });
  response.close();
  const offset = response.headers["upload-offset"];
  return response.status === 200 && typeof offset === "string" ? Number(offset) : undefined;
}

function offsetIn({ status, headers }: HttpResponse, { size }: Blob): number {
  const offset = Number(headers["upload-offset"] ?? Number.NaN);
  if (status === 404 || status === 410) throw new LostUpload("it has lost the upload");
  if (Number.isInteger(offset) && offset >= 0 && offset <= size) return offset;
  throw new TransientError("it did not say where the upload goes on");
}

function routeOfUpload(uploadId: string): string {
  return `/uploads/${encodeURIComponent(uploadId)}`;
}
