import { createHash } from "node:crypto";
import { isSubmitError, submitError } from "../errors/submit-error.ts";
import type { Host } from "../host/host.ts";
import { allOrAbort } from "../net/all-or-abort.ts";
import { limiter } from "../net/limiter.ts";
import type { Bucket, Part } from "./bucket.ts";
import { completeObject } from "./complete-object.ts";

/** Local file and its target object. */
interface FilePut {
  readonly path: string;
  readonly sizeBytes: number;
  readonly key: string;
  /** Additional headers, e.g. for encryption. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Expected content: `sha256:<hex>`. @default not checked */
  readonly digest?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Receives the bytes sent so far. */
  readonly onProgress?: ((bytes: number) => void) | undefined;
  /** Storage for the upload ID, so that a later call can resume the upload. @default a failed upload is aborted */
  readonly pending?: PendingUpload | undefined;
}

/** Storage for the ID of one unfinished upload. */
interface PendingUpload {
  readonly load: () => string | undefined;
  readonly save: (id: string) => void;
  readonly remove: () => void;
}

const defaultPartBytes = 16 * 1024 * 1024;
const maxParts = 9000;
const partConcurrency = 3;

/**
 * Uploads a file to a bucket, a large one in parts. Memory use does not depend on the file size.
 *
 * @throws S3Error, Node's error, SUBMIT_ERR_STAGED_FILE_CHANGED; the reason of `signal`
 */
export async function putFile({ files }: Pick<Host, "files">, bucket: Bucket, put: FilePut): Promise<void> {
  const { path, sizeBytes, key, headers = {}, digest, signal, onProgress } = put;
  const partBytes = Math.max(defaultPartBytes, Math.ceil(sizeBytes / maxParts));
  const hash = createHash("sha256");
  const read = (offset: number) => {
    const length = Math.min(partBytes, sizeBytes - offset);
    const bytes = files.readRange(path, offset, length);
    if (bytes?.length !== length) throw submitError("SUBMIT_ERR_STAGED_FILE_CHANGED", { path });
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
  const { id, known } = await resumeOrStart(bucket, put);
  try {
    const parts = await putParts({ bucket, put, id, known, partBytes, read });
    checkDigest();
    await completeObject(bucket, { key, id, parts, sizeBytes }, { headers: perRequestHeaders(headers), signal });
    put.pending?.remove();
  } catch (error) {
    // Without stored upload ID the upload cannot be resumed. After the file changed it must not be.
    if (put.pending === undefined || isSubmitError(error)) {
      put.pending?.remove();
      await bucket.abortUpload(key, id).catch(() => {});
    }
    throw error;
  }
}

interface StartedUpload {
  readonly id: string;
  /** Parts uploaded already, by number. */
  readonly known: ReadonlyMap<number, Part>;
}

async function resumeOrStart(bucket: Bucket, { key, headers = {}, signal, pending }: FilePut): Promise<StartedUpload> {
  const earlier = pending?.load();
  if (earlier !== undefined) {
    // Without permission to list parts, upload all of them again.
    const parts = await bucket.listParts(key, earlier).catch(() => undefined);
    if (parts !== undefined) return { id: earlier, known: new Map(parts.map((part) => [part.number, part])) };
    await bucket.abortUpload(key, earlier).catch(() => {});
  }
  const id = await bucket.createUpload(key, { headers, signal });
  pending?.save(id);
  return { id, known: new Map() };
}

interface Parts extends StartedUpload {
  readonly bucket: Bucket;
  readonly put: FilePut;
  readonly partBytes: number;
  readonly read: (offset: number) => Uint8Array;
}

/** Selects the headers that S3 requires on every part: customer-key encryption. The others belong to the upload. */
function perRequestHeaders(headers: FilePut["headers"] = {}): Record<string, string> {
  const isPerRequest = (name: string) => name.startsWith("x-amz-server-side-encryption-customer-");
  return Object.fromEntries(Object.entries(headers).filter(([name]) => isPerRequest(name)));
}

async function putParts({ bucket, put, id, known, partBytes, read }: Parts) {
  const { sizeBytes, key, signal, onProgress } = put;
  const count = Math.ceil(sizeBytes / partBytes);
  const own = perRequestHeaders(put.headers);
  const limited = limiter(partConcurrency);
  let doneBytes = 0;
  const actions = Array.from(
    { length: count },
    (_, index) => (inner: AbortSignal) =>
      limited(async (): Promise<Pick<Part, "number" | "etag">> => {
        inner.throwIfAborted();
        // Read in order: the digest covers the whole file.
        const content = read(index * partBytes);
        const number = index + 1;
        const existing = known.get(number);
        const etag =
          existing !== undefined && isSame(existing, content)
            ? existing.etag
            : await bucket.uploadPart({ key, id, number }, content, { headers: own, signal: inner });
        doneBytes += content.length;
        onProgress?.(doneBytes);
        return { number, etag };
      }),
  );
  return allOrAbort(signal, actions);
}

/** Servers that encrypt return no MD5 as ETag. Their parts are sent again. */
function isSame({ etag, sizeBytes }: Part, content: Uint8Array): boolean {
  return sizeBytes === content.length && etag.replaceAll('"', "") === createHash("md5").update(content).digest("hex");
}
