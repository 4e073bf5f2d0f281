import { crc32 } from "node:zlib";
import fc from "fast-check";
import { expect, test } from "vitest";
import { storedZip, zipEntryOf } from "./stored-zip.ts";

async function bytesOf(files: readonly (readonly [name: string, bytes: Uint8Array])[]) {
  const zip = await storedZip(files.map(([name, bytes]) => zipEntryOf(name, bytes)));
  const chunks: Uint8Array[] = [];
  for await (const chunk of zip.chunks()) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  expect(bytes.length).toBe(zip.sizeBytes);
  return bytes;
}

/** Reads names and contents from the central directory, as unpackers do. */
function unpack(zip: Buffer): readonly (readonly [string, string])[] {
  const end = zip.length - 22;
  expect(zip.readUInt32LE(end)).toBe(0x0605_4b50);
  let at = zip.readUInt32LE(end + 16);
  return Array.from({ length: zip.readUInt16LE(end + 10) }, () => {
    expect(zip.readUInt32LE(at)).toBe(0x0201_4b50);
    const [size, nameSize] = [zip.readUInt32LE(at + 24), zip.readUInt16LE(at + 28)];
    const name = zip.toString("utf8", at + 46, at + 46 + nameSize);
    const local = zip.readUInt32LE(at + 42);
    expect([zip.readUInt32LE(local), zip.toString("utf8", local + 30, local + 30 + nameSize)]).toEqual([
      ...[0x0403_4b50, name],
    ]);
    const content = zip.subarray(local + 30 + nameSize, local + 30 + nameSize + size);
    expect(zip.readUInt32LE(local + 14)).toBe(crc32(content));
    expect(zip.readUInt32LE(at + 16)).toBe(crc32(content));
    expect(zip.readUInt32LE(at + 20)).toBe(size);
    at += 46 + nameSize;
    return [name, content.toString("hex")] as const;
  });
}

test("an archive contains the files unchanged", { tags: "long" }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(fc.string({ unit: "grapheme" }), fc.uint8Array())), async (files) => {
      const expected = files.map(([name, bytes]) => [name, Buffer.from(bytes).toString("hex")]);
      expect(unpack(await bytesOf(files))).toEqual(expected);
    }),
  );
});

test("equal files give equal archives, and too many bytes are rejected", async () => {
  const files = [["a/ü.txt", Buffer.from("text")]] as const;
  expect(await bytesOf(files)).toEqual(await bytesOf(files));
  const huge = { ...zipEntryOf("x", Buffer.alloc(0)), sizeBytes: 2 ** 32 };
  await expect(storedZip([huge])).rejects.toThrow(RangeError);
});
