import fc from "fast-check";
import { expect, test } from "vitest";
import { lines, readText } from "./lines.ts";

async function* pieces(bytes: Buffer, cuts: readonly number[]): AsyncGenerator<Uint8Array> {
  const at = [...cuts.map((cut) => cut % (bytes.length + 1)), 0, bytes.length].sort((a, b) => a - b);
  for (const [index, from] of at.slice(0, -1).entries()) yield bytes.subarray(from, at[index + 1]);
}

const maxBytes = 7;

async function collect(chunks: AsyncIterable<Uint8Array>) {
  const found = [];
  for await (const { bytes, end } of lines(chunks, maxBytes)) found.push({ bytes: bytes.toString("latin1"), end });
  return found;
}

/** The parts of a text in which each character is a byte. */
function partsOf(line: string, end: "newline" | "stream") {
  const parts = line.match(/.{1,7}/gs) ?? [""];
  return parts.map((bytes, index) => ({ bytes, end: index < parts.length - 1 ? "limit" : end }));
}

const text = fc.string({ unit: fc.constantFrom("a", "\n", "\r", "\u2028", "\u0085", "é", "😀", "\0") });

test("splits lines only at byte 10 and after each 7 bytes, however a stream is cut", async () => {
  await fc.assert(
    fc.asyncProperty(text, fc.array(fc.nat()), async (sent, cuts) => {
      const all = Buffer.from(sent).toString("latin1").split("\n");
      const last = all.at(-1) ?? "";
      const expected = all.slice(0, -1).flatMap((line) => partsOf(line, "newline"));
      const rest = last === "" ? [] : partsOf(last, "stream");
      expect(await collect(pieces(Buffer.from(sent), cuts))).toEqual([...expected, ...rest]);
      const { length } = Buffer.from(sent);
      expect(await readText(pieces(Buffer.from(sent), cuts), length)).toBe(sent);
      expect(await readText(pieces(Buffer.from(`${sent}a`), cuts), length)).toBeUndefined();
    }),
  );
});
