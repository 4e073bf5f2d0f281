const newline = 10;

/**
 * Cuts a stream into lines at byte 10 and nowhere else, so that a lone carriage return or U+2028 stays inside its line.
 * `ended` is false for a last line without a newline.
 */
export async function* lines(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<{ readonly text: string; readonly ended: boolean }> {
  // Text is decoded a line at a time, because a chunk may end within a character.
  let begun: Uint8Array[] = [];
  for await (const chunk of chunks) {
    let from = 0;
    for (let at = chunk.indexOf(newline); at !== -1; at = chunk.indexOf(newline, from)) {
      yield { text: decode([...begun, chunk.subarray(from, at)]), ended: true };
      begun = [];
      from = at + 1;
    }
    if (from < chunk.length) begun.push(chunk.subarray(from));
  }
  if (begun.length > 0) yield { text: decode(begun), ended: false };
}

/** A whole stream as text. */
export async function readText(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  return decode(parts);
}

function decode(parts: readonly Uint8Array[]): string {
  const [first] = parts;
  // Most answers are of one part.
  const all = parts.length === 1 && Buffer.isBuffer(first) ? first : Buffer.concat(parts);
  return all.toString("utf8");
}
