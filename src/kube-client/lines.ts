const newline = 10;

/** A line of a stream, or a part of one. */
export interface StreamLine {
  /** Without the newline. */
  readonly bytes: Buffer;
  /** End of the bytes: a newline, the limit of a longer line, or the end of the stream. */
  readonly end: "newline" | "limit" | "stream";
}

/**
 * Splits a stream into lines at byte 10 only, so that a lone carriage return or U+2028 stays inside its line. Cuts a line after
 * each `maxBytes`, wherever its chunks end, so that an endless line needs no endless memory.
 */
export async function* lines(chunks: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<StreamLine> {
  let pending: Uint8Array[] = [];
  let size = 0;
  const take = (end: StreamLine["end"]): StreamLine => {
    const [first] = pending;
    // Most lines are in one chunk.
    const bytes = pending.length === 1 && Buffer.isBuffer(first) ? first : Buffer.concat(pending);
    pending = [];
    size = 0;
    return { bytes, end };
  };
  for await (const chunk of chunks) {
    for (let from = 0; from < chunk.length; ) {
      const at = chunk.indexOf(newline, from);
      const to = Math.min(at === -1 ? chunk.length : at, from + maxBytes - size);
      pending.push(chunk.subarray(from, to));
      size += to - from;
      from = to;
      if (to === at) {
        from += 1;
        yield take("newline");
      } else if (to < chunk.length) yield take("limit");
    }
  }
  if (size > 0) yield take("stream");
}

/** Reads a complete stream as text; `undefined` if it is longer than `maxBytes`. */
export async function readText(chunks: AsyncIterable<Uint8Array>, maxBytes: number): Promise<string | undefined> {
  const { bytes, isComplete } = await readBeginning(chunks, maxBytes);
  return isComplete ? bytes.toString("utf8") : undefined;
}

/** Reads at most `maxBytes` of a stream. */
export async function readBeginning(
  chunks: AsyncIterable<Uint8Array>,
  maxBytes: number,
): Promise<{ readonly bytes: Buffer; readonly isComplete: boolean }> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    parts.push(chunk);
    size += chunk.length;
    if (size > maxBytes) return { bytes: Buffer.concat(parts).subarray(0, maxBytes), isComplete: false };
  }
  return { bytes: Buffer.concat(parts), isComplete: true };
}

/** Reads a stream to its end, and keeps nothing. */
export async function discard(chunks: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _ of chunks);
}
