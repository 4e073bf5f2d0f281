import fc from "fast-check";
import { expect, test } from "vitest";
import { lines, readText } from "./lines.ts";

async function* pieces(bytes: Buffer, cuts: readonly number[]): AsyncGenerator<Uint8Array> {
  const at = [...cuts.map((cut) => cut % (bytes.length + 1)), 0, bytes.length].sort((a, b) => a - b);
  for (const [index, from] of at.slice(0, -1).entries()) yield bytes.subarray(from, at[index + 1]);
}

async function collect(chunks: AsyncIterable<Uint8Array>) {
  const found = [];
  for await (const line of lines(chunks)) found.push(line);
  return found;
}

const text = fc.string({ unit: fc.constantFrom("a", "\n", "\r", "\u2028", "\u0085", "é", "😀", "\0") });

test("splits lines only at byte 10, however a stream is cut", async () => {
  await fc.assert(
    fc.asyncProperty(text, fc.array(fc.nat()), async (sent, cuts) => {
      const last = sent.split("\n").at(-1) ?? "";
      const expected = sent
        .split("\n")
        .slice(0, -1)
        .map((line) => ({ text: line, ended: true }));
      const rest = last === "" ? [] : [{ text: last, ended: false }];
      expect(await collect(pieces(Buffer.from(sent), cuts))).toEqual([...expected, ...rest]);
      expect(await readText(pieces(Buffer.from(sent), cuts))).toBe(sent);
    }),
  );
});
