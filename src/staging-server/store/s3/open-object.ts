import type { ContentReader } from "../../../host/content-files.ts";
import type { Bucket } from "../../../s3/bucket.ts";

/** Open response with the bytes of an object from an offset. */
interface Stream {
  readonly pieces: AsyncIterator<Uint8Array>;
  readonly close: () => void;
  /** Offset of the next byte. */
  offset: number;
  rest: Uint8Array;
}

/** Opens an object; `undefined` if it does not exist. Sequential reads share one request. */
export async function openObject(
  bucket: Bucket,
  { key, sizeBytes }: { readonly key: string; readonly sizeBytes: number },
): Promise<ContentReader | undefined> {
  let stream: Stream | undefined;
  const startStream = async (offset: number): Promise<Stream | undefined> => {
    const opened = await bucket.open(key, offset);
    if (opened === undefined) return undefined;
    const pieces = opened.body[Symbol.asyncIterator]();
    return { pieces, close: opened.close, offset, rest: new Uint8Array() };
  };
  if ((await bucket.info(key)) === undefined) return undefined;
  return {
    sizeBytes,
    async read(offset, requested) {
      const bytes = Math.max(0, Math.min(requested, sizeBytes - offset));
      if (bytes === 0) return new Uint8Array();
      if (stream?.offset !== offset) {
        stream?.close();
        stream = await startStream(offset);
      }
      if (stream === undefined) throw new Error(`the content ${key} does not exist any more`);
      return take(stream, bytes);
    },
    async close() {
      stream?.close();
      stream = undefined;
    },
  };
}

async function take(stream: Stream, bytes: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let missing = bytes;
  while (missing > 0) {
    if (stream.rest.length === 0) {
      const next = await stream.pieces.next();
      if (next.done === true) break;
      stream.rest = next.value;
    }
    const part = stream.rest.subarray(0, missing);
    stream.rest = stream.rest.subarray(part.length);
    parts.push(part);
    missing -= part.length;
  }
  stream.offset += bytes - missing;
  return parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts);
}
