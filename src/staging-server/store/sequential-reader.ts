import type { ContentReader } from "../../host/content-files.ts";

/** Response with the bytes of a content from an offset to its end. */
export interface OpenedContent {
  readonly body: AsyncIterable<Uint8Array>;
  readonly close: () => void;
}

/** Content that a server sends from any offset. */
interface ServedContent {
  readonly sizeBytes: number;
  /** Name of the content, for messages. */
  readonly name: string;
  /** Opens the content; `undefined` if it does not exist any more. */
  readonly open: (offset: number) => Promise<OpenedContent | undefined>;
}

interface Stream {
  readonly pieces: AsyncIterator<Uint8Array>;
  readonly close: () => void;
  /** Offset of the next byte. */
  offset: number;
  rest: Uint8Array;
}

/** Creates a reader of a content. Sequential reads share one request. */
export function sequentialReader({ sizeBytes, name, open }: ServedContent): ContentReader {
  let stream: Stream | undefined;
  const startStream = async (offset: number): Promise<Stream | undefined> => {
    const opened = await open(offset);
    if (opened === undefined) return undefined;
    const pieces = opened.body[Symbol.asyncIterator]();
    return { pieces, close: opened.close, offset, rest: new Uint8Array() };
  };
  return {
    sizeBytes,
    async read(offset, requested) {
      const bytes = Math.max(0, Math.min(requested, sizeBytes - offset));
      if (bytes === 0) return new Uint8Array();
      if (stream?.offset !== offset) {
        stream?.close();
        stream = await startStream(offset);
      }
      if (stream === undefined) throw new Error(`the content ${name} does not exist any more`);
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
