import { createHash } from "node:crypto";
import { submitError } from "../errors/submit-error.ts";
import type { Host } from "../host/host.ts";
import { limiter, together } from "../staging-client/together.ts";
import type { Bucket, Part } from "./bucket.ts";

/** A file of this machine, and what it becomes. */
export interface FilePut {
  readonly path: string;
  readonly sizeBytes: number;
  readonly key: string;
  /** Further headers, e.g. about encryption. */
  readonly headers?: Readonly<Record<string, string>>;
  /** What it must contain: `sha256:<hex>`. @default whatever it does */
  readonly digest?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Bytes so far. */
  readonly onProgress?: ((bytes: number) => void) | undefined;
}

const usualPartBytes = 16 * 1024 * 1024;
const mostParts = 9000;
const partsAtOnce = 3;

/**
 * Puts a file into a bucket, a large one in parts; memory stays small whatever its size.
 *
 * @throws S3Error, Node's error, SUBMIT_ERR_STAGED_FILE_CHANGED; what `signal` says
 */
export async function putFile({ files }: Pick<Host, "files">, bucket: Bucket, put: FilePut): Promise<void> {
  const { path, sizeBytes, key, headers = {}, digest, signal, onProgress } = put;
  const partBytes = Math.max(usualPartBytes, Math.ceil(sizeBytes / mostParts));
  const hash = createHash("sha256");
  const read = (offset: number) => {
    const wanted = Math.min(partBytes, sizeBytes - offset);
    const bytes = files.readRange(path, offset, wanted);
    if (bytes?.length !== wanted) throw submitError("SUBMIT_ERR_STAGED_FILE_CHANGED", { path });
    hash.update(bytes);
    return bytes;
  };
  const checkDigest = () => {
    if (digest !== undefined && digest !== `sha256:${hash.digest("hex")}`)
      throw submitError("SUBMIT_ERR_STAGED_FILE_CHANGED", { path });
  };
  if (sizeBytes <= partBytes) {
    const content = read(0);
    checkDigest();
    await bucket.put(key, content, { headers, signal });
    onProgress?.(sizeBytes);
    return;
  }
  const id = await bucket.begin(key, { headers, signal });
  try {
    const parts = await putParts({ bucket, put, id, partBytes, read });
    checkDigest();
    await bucket.complete(key, id, parts);
  } catch (error) {
    // Whoever gave it up wants nothing to be left.
    await bucket.giveUp(key, id).catch(() => {});
    throw error;
  }
}

interface Parts {
  readonly bucket: Bucket;
  readonly put: FilePut;
  readonly id: string;
  readonly partBytes: number;
  readonly read: (offset: number) => Uint8Array;
}

/** Encryption with a key of the client goes with each part; all other headers with the whole. */
const perPart = /^x-amz-server-side-encryption-customer-/;

async function putParts({ bucket, put, id, partBytes, read }: Parts) {
  const { sizeBytes, key, headers = {}, signal, onProgress } = put;
  const count = Math.ceil(sizeBytes / partBytes);
  const own = Object.fromEntries(Object.entries(headers).filter(([name]) => perPart.test(name)));
  const limited = limiter(partsAtOnce);
  let doneBytes = 0;
  const actions = Array.from(
    { length: count },
    (_, index) => (inner: AbortSignal) =>
      limited(async (): Promise<Pick<Part, "number" | "etag">> => {
        inner.throwIfAborted();
        // In order, for the digest of the whole.
        const content = read(index * partBytes);
        const etag = await bucket.putPart({ key, id, number: index + 1 }, content, {
          headers: own,
          signal: inner,
        });
        doneBytes += content.length;
        onProgress?.(doneBytes);
        return { number: index + 1, etag };
      }),
  );
  return together(signal, actions);
}
