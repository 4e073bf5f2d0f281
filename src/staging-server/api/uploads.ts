import * as v from "valibot";
import {
  apiRoot,
  type Blob,
  type MissingResponse,
  type UploadResponse,
} from "../../staging-client/protocol.ts";
import { forEachConcurrent } from "../for-each-concurrent.ts";
import { Problem } from "../problem.ts";
import type { ServerScope } from "../scope.ts";
import { digestShape, sizeShape } from "../store/bundle-record.ts";
import type { Upload } from "../store/uploads.ts";
import { type ApiCall, type ApiResponse, bytesOf, header, jsonOf } from "./call.ts";
import { callerOf, canAccess, requireStaging } from "./callers.ts";
import { requireAllowedSize, requireFreeSpace, requireQuota } from "./capacity.ts";

const maxBlobs = 20_000;
const blobShape = { digest: digestShape, size: sizeShape };
const missingShape = v.object({
  namespace: v.string(),
  blobs: v.pipe(v.array(v.object(blobShape)), v.maxLength(maxBlobs)),
});
const uploadShape = v.object({ namespace: v.string(), ...blobShape });

/** `POST /blobs:missing` */
export async function serveMissing(scope: ServerScope, call: ApiCall): Promise<ApiResponse> {
  const caller = await callerOf(scope, call);
  const { namespace, blobs } = await jsonOf(scope, call, missingShape);
  await requireStaging(scope, caller, namespace);
  const missing = await missingOf(scope.store, namespace, blobs);
  // What is told to be here must still be here when the bundle comes that names it.
  const lacking = new Set(missing);
  await forEachConcurrent(blobs, maxConcurrentBlobs, async (blob) => {
    if (!lacking.has(blob)) await scope.store.blobs.keep(namespace, blob);
  });
  const answer: MissingResponse = { missing: missing.map(({ digest }) => digest) };
  return { status: 200, json: answer };
}

/** `POST /uploads` */
export async function beginUpload(scope: ServerScope, call: ApiCall): Promise<ApiResponse> {
  const { store } = scope;
  const caller = await callerOf(scope, call);
  const { namespace, ...blob } = await jsonOf(scope, call, uploadShape);
  await requireStaging(scope, caller, namespace);
  requireAllowedSize(scope, blob.size);
  if (await store.blobs.has(namespace, blob)) {
    await store.blobs.keep(namespace, blob);
    const answer: UploadResponse = { exists: true };
    return { status: 200, json: answer };
  }
  await requireQuota(scope, namespace, blob.size);
  await requireFreeSpace(scope, blob.size);
  const { uploadId } = await store.uploads.begin(namespace, blob);
  const expiresAt = new Date(scope.host.clock.now() + scope.options.times.uploadIdleMs).toISOString();
  const answer: UploadResponse = { uploadId, exists: false, expiresAt };
  return { status: 201, headers: { location: `${apiRoot}/uploads/${uploadId}` }, json: answer };
}

/** `HEAD /uploads/{id}` */
export async function serveOffset(scope: ServerScope, call: ApiCall): Promise<ApiResponse> {
  const upload = await uploadOf(scope, call);
  const offset = await scope.store.uploads.offset(upload);
  const headers = { "upload-offset": String(offset), "upload-length": String(upload.size) };
  return { status: 200, headers: { ...headers, "cache-control": "no-store" } };
}

/** `PATCH /uploads/{id}` */
export async function continueUpload(scope: ServerScope, call: ApiCall): Promise<ApiResponse> {
  const upload = await uploadOf(scope, call);
  const text = header(call, "upload-offset") ?? "";
  if (!/^\d{1,15}$/.test(text)) {
    throw new Problem("BAD_REQUEST", "The header upload-offset must tell where the bytes begin.");
  }
  const offset = Number(text);
  const { offset: now, isWrong } = await scope.store.uploads
    .append(upload, {
      offset,
      read: bytesOf(scope, call, Math.max(0, upload.size - offset)),
      cut: () => call.request.destroy(),
    })
    .catch(async (error: unknown) => {
      // What is left of it would keep the disk full.
      if (isFull(error)) await scope.store.uploads.abandon(upload.uploadId);
      throw error;
    });
  const headers = { "upload-offset": String(now) };
  if (!isWrong) return { status: 204, headers };
  throw new Problem("WRONG_OFFSET", `The upload has ${now} bytes, so it goes on there.`, { headers });
}

/** `POST /uploads/{id}:commit` */
export async function commitUpload(scope: ServerScope, call: ApiCall): Promise<ApiResponse> {
  const upload = await uploadOf(scope, call);
  const { blobs, uploads } = scope.store;
  const finished = await uploads.finish(upload, async (file) => {
    if (file.size !== upload.size || file.digest !== upload.digest) {
      const message = `What has come is ${file.digest} of ${file.size} bytes, and not ${upload.digest} of ${upload.size}.`;
      throw new Problem("DIGEST_MISMATCH", message);
    }
    if (!(await blobs.has(upload.namespace, file))) await requireQuota(scope, upload.namespace, file.size);
    await blobs.adopt(file.path, upload.namespace, file);
  });
  // Somebody has asked for the same at the same time.
  if (finished === undefined && !(await blobs.has(upload.namespace, upload))) throw noUpload();
  return { status: 201, json: { digest: upload.digest, size: upload.size } };
}

/** `DELETE /uploads/{id}` */
export async function abandonUpload(scope: ServerScope, call: ApiCall): Promise<ApiResponse> {
  const { uploadId } = await uploadOf(scope, call);
  await scope.store.uploads.abandon(uploadId);
  return { status: 204 };
}

/** Contents of which so many are looked at together. */
export const maxConcurrentBlobs = 32;

/** Those that a namespace has not. */
export async function missingOf<B extends Blob>(
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

/** Whether a disk refused to take more. */
export function isFull(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return code === "ENOSPC" || code === "EDQUOT";
}

async function uploadOf(scope: ServerScope, call: ApiCall): Promise<Upload> {
  const caller = await callerOf(scope, call);
  const upload = await scope.store.uploads.find(call.parameters["id"] ?? "");
  if (upload !== undefined && (await canAccess(scope, caller, upload))) return upload;
  throw noUpload();
}

function noUpload(): Problem {
  return new Problem("NOT_FOUND", "There is no such upload.");
}
