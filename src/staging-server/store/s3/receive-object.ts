import { createHash } from "node:crypto";
import type { Part } from "../../../s3/bucket.ts";
import { completeObject } from "../../../s3/complete-object.ts";
import { collectParts, partBytesFor } from "../collect-parts.ts";
import { type DiscardableFile, digestOf, type ReadPieces } from "../uploads.ts";
import type { S3Scope } from "./s3-scope.ts";

/** Receives a content of unknown size and digest. After an error, no object remains. */
export async function receiveObject(scope: S3Scope, read: ReadPieces): Promise<DiscardableFile> {
  const { bucket, layout, host, memory, adopted } = scope;
  const key = layout.content(host.random.uuid());
  const partBytes = partBytesFor(undefined);
  const release = await memory.acquire(2 * partBytes);
  const discard = async () => {
    if (!adopted.delete(key)) await bucket.remove(key);
  };
  try {
    return { path: key, ...(await receiveParts(scope, { key, partBytes, read })), discard };
  } catch (error) {
    // Report the original error. The cleaner removes an object that could not be discarded.
    await discard().catch(() => {});
    throw error;
  } finally {
    release();
  }
}

async function receiveParts(
  { bucket }: S3Scope,
  { key, partBytes, read }: { readonly key: string; readonly partBytes: number; readonly read: ReadPieces },
) {
  const hash = createHash("sha256");
  const parts: Pick<Part, "number" | "etag">[] = [];
  let id: string | undefined;
  try {
    const { newBytes: size, error } = await collectParts(read, {
      ...{ tail: new Uint8Array(), partBytes, lastBytes: undefined },
      onPiece: (piece) => hash.update(piece),
      async putPart(content, isLast) {
        if (isLast && id === undefined) {
          await bucket.put(key, content);
          return;
        }
        id ??= await bucket.createUpload(key);
        const number = parts.length + 1;
        parts.push({ number, etag: await bucket.uploadPart({ key, id, number }, content) });
      },
    });
    if (error !== undefined) throw error;
    if (id !== undefined) await completeObject(bucket, { key, id, parts, sizeBytes: size });
    return { size, digest: digestOf(hash) };
  } catch (error) {
    if (id !== undefined) await bucket.abortUpload(key, id).catch(() => {});
    throw error;
  }
}
