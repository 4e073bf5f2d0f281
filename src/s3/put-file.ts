import { createHash } from "node:crypto";
import { isSubmitError, submitError } from "../errors/submit-error.ts";
import type { Host } from "../host/host.ts";
import { limiter, together } from "../staging-client/together.ts";
import type { Bucket, Part } from "./bucket.ts";
import { completeObject } from "./complete-object.ts";

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
  /** What remembers an object whose parts are not all there, so that it is gone on with. @default its parts are removed */
  readonly notes?: PartNotes | undefined;
}

/** Remembers what is begun of one object. */
export interface PartNotes {
  readonly recall: () => string | undefined;
  readonly note: (id: string) => void;
  readonly forget: () => void;
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
  const { id, known } = await goOn(bucket, put);
  try {
    const parts = await putParts({ bucket, put, id, known, partBytes, read });
    checkDigest();
    await completeObject(bucket, { key, id, parts, sizeBytes }, { headers: headersOfEach(headers), signal });
    put.notes?.forget();
  } catch (error) {
    // Without notes nobody comes back to it, and of a file that has changed nobody should.
    if (put.notes === undefined || isSubmitError(error)) {
      put.notes?.forget();
      await bucket.giveUp(key, id).catch(() => {});
    }
    throw error;
  }
}

interface Begun {
  readonly id: string;
  /** The parts that are there, by their numbers. */
  readonly known: ReadonlyMap<number, Part>;
}

async function goOn(bucket: Bucket, { key, headers = {}, signal, notes }: FilePut): Promise<Begun> {
  const earlier = notes?.recall();
  if (earlier !== undefined) {
    // Who may not list them sends all again.
    const parts = await bucket.parts(key, earlier).catch(() => undefined);
    if (parts !== undefined) return { id: earlier, known: new Map(parts.map((part) => [part.number, part])) };
    await bucket.giveUp(key, earlier).catch(() => {});
  }
  const id = await bucket.begin(key, { headers, signal });
  notes?.note(id);
  return { id, known: new Map() };
}

interface Parts extends Begun {
  readonly bucket: Bucket;
  readonly put: FilePut;
  readonly partBytes: number;
  readonly read: (offset: number) => Uint8Array;
}

/** Encryption with a key of the client goes with each request; all other headers with the whole. */
function headersOfEach(headers: FilePut["headers"] = {}): Record<string, string> {
  const isOfEach = (name: string) => name.startsWith("x-amz-server-side-encryption-customer-");
  return Object.fromEntries(Object.entries(headers).filter(([name]) => isOfEach(name)));
}

async function putParts({ bucket, put, id, known, partBytes, read }: Parts) {
  const { sizeBytes, key, signal, onProgress } = put;
  const count = Math.ceil(sizeBytes / partBytes);
  const own = headersOfEach(put.headers);
  const limited = limiter(partsAtOnce);
  let doneBytes = 0;
  const actions = Array.from(
    { length: count },
    (_, index) => (inner: AbortSignal) =>
      limited(async (): Promise<Pick<Part, "number" | "etag">> => {
        inner.throwIfAborted();
        // In order, for the digest of the whole.
        const content = read(index * partBytes);
        const number = index + 1;
        const there = known.get(number);
        const etag =
          there !== undefined && isSame(there, content)
            ? there.etag
            : await bucket.putPart({ key, id, number }, content, { headers: own, signal: inner });
        doneBytes += content.length;
        onProgress?.(doneBytes);
        return { number, etag };
      }),
  );
  return together(signal, actions);
}

/** Servers that give no MD5, because they encrypt, get a part again. */
function isSame({ etag, sizeBytes }: Part, content: Uint8Array): boolean {
  return (
    sizeBytes === content.length &&
    etag.replaceAll('"', "") === createHash("md5").update(content).digest("hex")
  );
}
