import fc from "fast-check";
import { packTar } from "modern-tar";
import { describe, expect, test } from "vitest";
import { readTar, type TarFile, type TarLimits } from "./read-tar.ts";
import { TarError } from "./tar-header.ts";

interface ReadFile extends TarFile {
  readonly content: string;
}

const noLimits: TarLimits = { files: 1000, contentBytes: Number.POSITIVE_INFINITY };

async function read(chunks: readonly Uint8Array[], limits = noLimits): Promise<readonly ReadFile[]> {
  const files: { file: TarFile; chunks: Uint8Array[] }[] = [];
  const sink = {
    start: (file: TarFile) => {
      files.push({ file, chunks: [] });
    },
    write: (chunk: Uint8Array) => {
      files.at(-1)?.chunks.push(chunk);
    },
    end: () => {},
  };
  await readTar(streamOf(chunks), sink, limits);
  return files.map(({ file, chunks: parts }) => ({
    ...file,
    content: Buffer.concat(parts).toString("latin1"),
  }));
}

async function* streamOf(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

/** Returns the files, or the message of a TarError. Other errors are thrown. */
async function outcomeOf(chunks: readonly Uint8Array[]): Promise<unknown> {
  try {
    return await read(chunks);
  } catch (error) {
    if (error instanceof TarError) return error.message;
    throw error;
  }
}

/** Builds a header block with a correct checksum. */
function header(fields: { name?: string; type?: string; size?: string; magic?: string; prefix?: string }): Buffer {
  const block = Buffer.alloc(512);
  block.write(fields.name ?? "file", 0, "latin1");
  block.write("0000644\0", 100);
  block.write(fields.size ?? "00000000000\0", 124, "latin1");
  block.write(" ".repeat(8), 148);
  block.write(fields.type ?? "0", 156);
  block.write(fields.magic ?? "ustar\x0000", 257);
  block.write(fields.prefix ?? "", 345);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return block;
}

const end = Buffer.alloc(1024);

function padded(content: string): Buffer {
  return Buffer.concat([Buffer.from(content, "latin1"), Buffer.alloc((512 - (content.length % 512)) % 512)]);
}

function octal(size: number): string {
  return `${size.toString(8).padStart(11, "0")}\0`;
}

function extended(type: string, content: string): Buffer {
  return Buffer.concat([header({ type, size: octal(content.length) }), padded(content)]);
}

const name = fc.stringMatching(/^[A-Za-z0-9_-][A-Za-z0-9._-]{0,150}$/);
const someFiles = fc.uniqueArray(
  fc.record({ name, content: fc.string({ maxLength: 2000 }), executable: fc.boolean() }),
  { selector: (file) => file.name, maxLength: 8 },
);

async function pack(files: readonly { name: string; content: string; executable: boolean }[]): Promise<Buffer> {
  const entries = files.map(({ name: called, content, executable }) => ({
    header: { name: called, size: Buffer.byteLength(content), mode: executable ? 0o755 : 0o600 },
    body: content,
  }));
  return Buffer.from(await packTar(entries));
}

describe("archives of other writers", () => {
  test("reads archives of modern-tar in chunks of any size", { tags: "long" }, async () => {
    const property = fc.asyncProperty(someFiles, fc.array(fc.nat(1500)), async (files, cuts) => {
      const archive = await pack(files);
      const expected = files.map(({ content, ...file }) => ({
        ...file,
        size: Buffer.byteLength(content),
        content: Buffer.from(content).toString("latin1"),
      }));
      const chunks: Uint8Array[] = [];
      let start = 0;
      for (const cut of cuts) {
        chunks.push(archive.subarray(start, start + cut));
        start += cut;
      }
      expect(await read([...chunks, archive.subarray(start)])).toEqual(expected);
    });
    await fc.assert(property, { numRuns: 150 });
  });

  test("rejects an archive that is truncated at any offset", { tags: "long" }, async () => {
    const archive = await pack([
      { name: "a".repeat(140), content: "x".repeat(700), executable: false },
      { name: "b", content: "y", executable: true },
    ]);
    const used = archive.length - 1;
    const property = fc.asyncProperty(fc.nat(used), async (length) => {
      const isComplete = length >= Buffer.from(archive).lastIndexOf("y") + 512 + 1024;
      const outcome = await outcomeOf([archive.subarray(0, length)]);
      expect(typeof outcome === "string").toBe(!isComplete);
    });
    await fc.assert(property, { numRuns: 300 });
  });

  test("reads or rejects an archive with changed bytes and never returns an unsafe name", {
    tags: "long",
  }, async () => {
    const archive = await pack([
      { name: "a".repeat(140), content: "x".repeat(700), executable: false },
      { name: "b", content: "y", executable: true },
    ]);
    const change = fc.tuple(fc.nat(archive.length - 1), fc.integer({ min: 0, max: 255 }));
    const property = fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 6 }), async (changes) => {
      const changed = Buffer.from(archive);
      for (const [at, byte] of changes) changed[at] = byte;
      const outcome = await outcomeOf([changed]);
      const files = Array.isArray(outcome) ? outcome : [];
      for (const file of files) expect(file.name).toMatch(/^(?!\.{1,2}$)[^/\0]+$/);
    });
    await fc.assert(property, { numRuns: 1000 });
  });

  test("reads or rejects arbitrary bytes", async () => {
    const property = fc.asyncProperty(fc.uint8Array({ maxLength: 3000 }), async (bytes) => {
      await outcomeOf([bytes]);
    });
    await fc.assert(property);
  });
});

describe("names and sizes", () => {
  test("reads GNU's long names and numbers, and pax records", async () => {
    const long = "l".repeat(200);
    const size = Buffer.alloc(12);
    size[0] = 0x80;
    size[11] = 3;
    const archive = [
      extended("L", `${long}\0`),
      Buffer.concat([header({ size: size.toString("latin1"), magic: "ustar  \0" }), padded("abc")]),
      extended("x", "16 path=the-pax\n9 size=2\n"),
      Buffer.concat([header({ size: octal(500) }), padded("de")]),
      end,
    ];
    const files = await read(archive);
    expect(files.map((file) => [file.name, file.content])).toEqual([
      [long, "abc"],
      ["the-pax", "de"],
    ]);
  });

  test("ignores a leading ./ and the root directory", async () => {
    const archive = [header({ name: "./", type: "5" }), header({ name: ".//a" }), end];
    expect(await read(archive)).toEqual([{ name: "a", size: 0, executable: false, content: "" }]);
  });

  test.each<[string, readonly Buffer[], string]>([
    ["a subdirectory in the prefix", [header({ prefix: "directory" })], "whose name has a subdirectory"],
    ["an empty name", [header({ name: "" })], "whose name is that of a directory"],
    ["control characters in the name", [header({ name: "a\nb" })], "whose name has control characters"],
    ["a name that is not UTF-8", [header({ name: "\xff" })], "whose name is not valid UTF-8"],
    ["a size that is not a number", [header({ size: "12x\0" })], "a size that is not a number"],
    ["a negative size", [header({ size: "\xff".repeat(12) })], "a size that is not a number"],
    ["an unknown kind", [header({ type: "Q" })], "a member of unknown kind"],
    ["no magic", [header({ magic: "rats" })], "a header of an unknown format"],
    ["a sparse file", [extended("x", "22 GNU.sparse.major=1\n"), header({})], "a sparse file"],
    ["a global name", [extended("g", "9 path=a\n"), header({})], "a global name or size for all files"],
    ["broken pax records", [extended("x", "99 path=a\n"), header({})], "an invalid extended header"],
    ["an extension that is too long", [header({ type: "x", size: octal(100_000) })], "that is too long"],
    ["an extension without a member", [extended("x", "9 path=a\n")], "ends after an extended header"],
    ["too many extensions", Array(20).fill(extended("x", "9 path=a\n")), "too many extended headers"],
  ])("rejects %s", async (_case, blocks, message) => {
    expect(await outcomeOf([...blocks, end])).toContain(message);
  });

  test("rejects data after the end except the zeros of a record", async () => {
    expect(await outcomeOf([header({}), end, Buffer.alloc(9000)])).toHaveLength(1);
    expect(await outcomeOf([header({}), end, Buffer.from("x")])).toBe("it has data after its end");
    expect(await outcomeOf([header({}), end, Buffer.alloc(1024 * 1024 + 1)])).toBe("it has data after its end");
  });
});

describe("limits", () => {
  test("rejects more files or bytes than allowed before it writes them", async () => {
    const archive = [header({ name: "a", size: octal(600) }), padded("x".repeat(600)), header({ name: "b" }), end];
    await expect(read(archive, { files: 1, contentBytes: 600 })).rejects.toThrow("more than 1 files");
    await expect(read(archive, { files: 2, contentBytes: 599 })).rejects.toThrow("more than the allowed 599 bytes");
    expect(await read(archive, { files: 2, contentBytes: 600 })).toHaveLength(2);
  });

  test("counts repeated root directories toward the file limit", async () => {
    const archive = Array(3).fill(header({ name: "./", type: "5" }));
    await expect(read([...archive, end], { ...noLimits, files: 2 })).rejects.toThrow("more than 2 files");
  });
});
