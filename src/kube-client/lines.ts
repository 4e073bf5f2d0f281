const newline = 10;

/**
 * Splits a stream into lines at byte 10 only, so that a lone carriage return or U+2028 stays inside its line.
 * `ended` is false for a last line without a newline.
 */
export async function* lines(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<{ readonly text: string; readonly ended: boolean }> {
  // Text is decoded a line at a time, because a chunk may end within a character.
  let pending: Uint8Array[] = [];
  for await (const chunk of chunks) {
    let from = 0;
    for (let at = chunk.indexOf(newline); at !== -1; at = chunk.indexOf(newline, from)) {
      yield { text: decode([...pending, chunk.subarray(from, at)]), ended: true };
      pending = [];
      from = at + 1;
    }
    if (from < chunk.length) pending.push(chunk.subarray(from));
  }
  if (pending.length > 0) yield { text: decode(pending), ended: false };
}

/** Reads a complete stream as text. */
export async function readText(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  return decode(parts);
}

function decode(parts: readonly Uint8Array[]): string {
  const [first] = parts;
  // Most responses have one part.
  const all = parts.length === 1 && Buffer.isBuffer(first) ? first : Buffer.concat(parts);
  return all.toString("utf8");
}
