import * as v from "valibot";
import { forEachConcurrent } from "../../net/for-each-concurrent.ts";
import { apiRoot, type Blob, type MissingResponse, type UploadResponse } from "../../staging-client/protocol.ts";
import { Problem } from "../context/problem.ts";
import type { ServerScope } from "../context/scope.ts";
import { digestShape, sizeShape } from "../store/bundle-record.ts";
import { isFull } from "../store/is-full.ts";
import type { Upload } from "../store/uploads.ts";
import { type ApiCall, type ApiResponse, bytesOf, header } from "./call.ts";
import { callerOf, canAccess, requireStaging } from "./callers.ts";
import { requireAllowedSize, requireFreeSpace, requireQuota } from "./capacity.ts";
import { jsonOf, listShape, maxListJsonBytes, maxPlainJsonBytes } from "./json-body.ts";

const maxBlobs = 20_000;
const blobShape = { digest: digestShape, size: sizeShape };
const missingShape = v.object({ namespace: v.string(), blobs: listShape(v.object(blobShape), maxBlobs) });
const uploadShape = v.object({ namespace: v.string(), ...blobShape });

/** `POST /blobs:missing` */
export async function serveMissing(scope: ServerScope, call: ApiCall): Promise<ApiResponse> {
  const caller = await callerOf(scope, call);
  const { namespace, blobs } = await jsonOf(scope, call, { shape: missingShape, maxBytes: maxListJsonBytes });
  await requireStaging(scope, caller, namespace);
  const missing = await findMissing(scope.store, namespace, blobs);
  // A content that this response reports as present must still exist when the client creates the bundle.
  const absent = new Set(missing);
  await forEachConcurrent(blobs, maxConcurrentBlobs, async (blob) => {
    if (!absent.has(blob)) await scope.store.blobs.keep(namespace, blob);
  });
  const response: MissingResponse = { missing: missing.map(({ digest }) => digest) };
  return { status: 200, json: response };
}

/** `POST /uploads` */
export async function createUpload(scope: ServerScope, call: ApiCall): Promise<ApiResponse> {
  const { store } = scope;
  const caller = await callerOf(scope, call);
  const { namespace, ...blob } = await jsonOf(scope, call, { shape: uploadShape, maxBytes: maxPlainJsonBytes });
  await requireStaging(scope, caller, namespace);
  requireAllowedSize(scope, blob.size);
  if (await store.blobs.has(namespace, blob)) {
    await store.blobs.keep(namespace, blob);
    const response: UploadResponse = { exists: true };
    return { status: 200, json: response };
  }
  await requireQuota(scope, namespace, blob.size);
  await requireFreeSpace(scope, blob.size);
  const { uploadId } = await store.uploads.create(namespace, blob);
  const expiresAt = new Date(scope.host.clock.now() + scope.options.times.uploadIdleMs).toISOString();
  const response: UploadResponse = { uploadId, exists: false, expiresAt };
  return { status: 201, headers: { location: `${apiRoot}/uploads/${uploadId}` }, json: response };
}

/** `HEAD /uploads/{id}` */
export async function serveOffset(scope: ServerScope, call: ApiCall): Promise<ApiResponse> {
  const upload = await uploadOf(scope, call);
  const offset = await scope.store.uploads.offset(upload);
  const headers = { "upload-offset": String(offset), "upload-length": String(upload.size) };
  return { status: 200, headers: { ...headers, "cache-control": "no-store" } };
}

/** `PATCH /uploads/{id}` */
export async function appendUpload(scope: ServerScope, call: ApiCall): Promise<ApiResponse> {
  const upload = await uploadOf(scope, call);
  const text = header(call, "upload-offset") ?? "";
  if (!/^\d{1,15}$/.test(text)) {
    throw new Problem("BAD_REQUEST", "The header upload-offset must be the offset of the first byte.");
  }
  const offset = Number(text);
  const { offset: now, isWrong } = await scope.store.uploads
    .append(upload, {
      offset,
      read: bytesOf(scope, call, { maxBytes: Math.max(0, upload.size - offset) }),
      cut: () => call.request.destroy(),
    })
    .catch(async (error: unknown) => {
      // The partial content would keep the disk full.
      if (isFull(error)) await scope.store.uploads.abort(upload.uploadId);
      throw error;
    });
  const headers = { "upload-offset": String(now) };
  if (!isWrong) return { status: 204, headers };
  throw new Problem("WRONG_OFFSET", `The upload has ${now} bytes: continue at this offset.`, { headers });
}

/** `POST /uploads/{id}:commit` */
export async function commitUpload(scope: ServerScope, call: ApiCall): Promise<ApiResponse> {
  const upload = await uploadOf(scope, call);
  const { blobs, uploads } = scope.store;
  const finished = await uploads.finish(upload, async (file) => {
    if (file.size !== upload.size || file.digest !== upload.digest) {
      const message = `The upload has the digest ${file.digest} and ${file.size} bytes instead of ${upload.digest} and ${upload.size} bytes.`;
      throw new Problem("DIGEST_MISMATCH", message);
    }
    if (!(await blobs.has(upload.namespace, file))) await requireQuota(scope, upload.namespace, file.size);
    await blobs.adopt(file.path, upload.namespace, file);
  });
  // A concurrent commit may have finished the same upload.
  if (finished === undefined && !(await blobs.has(upload.namespace, upload))) throw uploadNotFound();
  return { status: 201, json: { digest: upload.digest, size: upload.size } };
}

/** `DELETE /uploads/{id}` */
export async function abortUpload(scope: ServerScope, call: ApiCall): Promise<ApiResponse> {
  const { uploadId } = await uploadOf(scope, call);
  await scope.store.uploads.abort(uploadId);
  return { status: 204 };
}

/** Number of contents that one request processes concurrently. */
export const maxConcurrentBlobs = 32;

/** Returns the contents that a namespace does not have. */
export async function findMissing<B extends Blob>(
  { blobs }: ServerScope["store"],
  namespace: string,
  requested: readonly B[],
): Promise<readonly B[]> {
  const missing = new Set<B>();
  await forEachConcurrent(requested, maxConcurrentBlobs, async (blob) => {
    if (!(await blobs.has(namespace, blob))) missing.add(blob);
  });
  return requested.filter((blob) => missing.has(blob));
}

async function uploadOf(scope: ServerScope, call: ApiCall): Promise<Upload> {
  const caller = await callerOf(scope, call);
  const upload = await scope.store.uploads.find(call.parameters["id"] ?? "");
  if (upload !== undefined && (await canAccess(scope, caller, upload))) return upload;
  throw uploadNotFound();
}

function uploadNotFound(): Problem {
  return new Problem("NOT_FOUND", "The upload does not exist.");
}
