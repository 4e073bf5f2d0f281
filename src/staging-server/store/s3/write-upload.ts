import { createHash } from "node:crypto";
import { collectParts, partBytesFor } from "../collect-parts.ts";
import type { UploadSource } from "../uploads.ts";
import type { S3Scope } from "./s3-scope.ts";
import { readTail, tailKey, type UploadMeta, type UploadProgress, type UploadState } from "./upload-state.ts";

/** Inputs of a continued upload. */
interface UploadWriting {
  readonly meta: UploadMeta;
  readonly state: UploadState;
  readonly source: UploadSource;
  /** Progress by upload ID. Contains this upload again if all received bytes are stored. */
  readonly seen: Map<string, UploadProgress>;
}

/** Stores the bytes of one request. Returns the new offset. */
export async function writeUpload(scope: S3Scope, { meta, state, source, seen }: UploadWriting): Promise<number> {
  const { uploadId, size } = meta;
  const progress = progressFor(state, seen.get(uploadId));
  seen.delete(uploadId);
  const partBytes = partBytesFor(size);
  const lastBytes = size - state.offset + state.tailBytes;
  const release = await scope.memory.acquire(Math.min(2 * partBytes, lastBytes));
  try {
    const tail = await readTail(scope, uploadId, { count: state.parts.length, bytes: state.tailBytes });
    const { newBytes, isKept, error } = await collectParts(source.read, {
      ...{ tail, partBytes, lastBytes },
      onPiece: (piece) => progress?.hash.update(piece),
      ...partsOf(scope, { meta, state, progress }),
    });
    const offset = state.offset + newBytes;
    if (progress !== undefined) {
      progress.sizeBytes = offset;
      if (isKept) seen.set(uploadId, progress);
    }
    if (error !== undefined) throw error;
    return offset;
  } finally {
    release();
  }
}

/** Returns the progress of an upload; `undefined` if another server received a part, because the hash is then unknown. */
function progressFor({ offset }: UploadState, known: UploadProgress | undefined): UploadProgress | undefined {
  if (known?.sizeBytes === offset) return known;
  return offset === 0 ? { hash: createHash("sha256"), sizeBytes: 0, parts: [] } : undefined;
}

interface ContinuedParts extends Pick<UploadWriting, "meta" | "state"> {
  readonly progress: UploadProgress | undefined;
}

function partsOf({ bucket, layout }: S3Scope, { meta, state, progress }: ContinuedParts) {
  const { uploadId, multipartId } = meta;
  const key = layout.content(uploadId);
  let count = state.parts.length;
  return {
    async putPart(content: Uint8Array) {
      if (multipartId === undefined) {
        await bucket.put(key, content);
        return;
      }
      count += 1;
      const number = count;
      const etag = await bucket.uploadPart({ key, id: multipartId, number }, content);
      progress?.parts.push({ number, etag });
    },
    async putTail(content: Uint8Array) {
      await bucket.put(tailKey(layout, uploadId, count), content);
    },
  };
}
