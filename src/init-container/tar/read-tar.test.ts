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
    begin: (file: TarFile) => {
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

/** Whether it was read or refused, in words that can be compared. Anything else is thrown. */
async function outcomeOf(chunks: readonly Uint8Array[]): Promise<unknown> {
  try {
    return await read(chunks);
  } catch (error) {
    if (error instanceof TarError) return error.message;
    throw error;
  }
}

/** One header with right sum. */
function header(fields: {
  name?: string;
  type?: string;
  size?: string;
  magic?: string;
  prefix?: string;
}): Buffer {
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

async function pack(
  files: readonly { name: string; content: string; executable: boolean }[],
): Promise<Buffer> {
  const entries = files.map(({ name: called, content, executable }) => ({
    header: { name: called, size: Buffer.byteLength(content), mode: executable ? 0o755 : 0o600 },
    body: content,
  }));
  return Buffer.from(await packTar(entries));
}

describe("archives of others", () => {
  test("what modern-tar packs is read, however it is cut into chunks", async () => {
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

  test("what is cut off anywhere is refused", async () => {
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

  test("whatever bytes are changed, it is read or refused, and every name is that of a file right here", async () => {
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

  test("any bytes at all are read or refused", async () => {
    const property = fc.asyncProperty(fc.uint8Array({ maxLength: 3000 }), async (bytes) => {
      await outcomeOf([bytes]);
    });
    await fc.assert(property);
  });
});

describe("names and sizes", () => {
  test("GNU's long names and numbers, and pax records, are understood", async () => {
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

  test("a leading ./ and the folder itself are passed over", async () => {
    const archive = [header({ name: "./", type: "5" }), header({ name: ".//a" }), end];
    expect(await read(archive)).toEqual([{ name: "a", size: 0, executable: false, content: "" }]);
  });

  test.each<[string, readonly Buffer[], string]>([
    ["a prefix", [header({ prefix: "folder" })], "whose name is that of a folder within"],
    ["no name", [header({ name: "" })], "whose name is that of a folder"],
    ["control characters", [header({ name: "a\nb" })], "whose name has control characters"],
    ["bytes that are no UTF-8", [header({ name: "\xff" })], "whose name is no UTF-8"],
    ["a size that is no number", [header({ size: "12x\0" })], "a size that is no number"],
    ["a negative size", [header({ size: "\xff".repeat(12) })], "a size that is no number"],
    ["an unknown kind", [header({ type: "Q" })], "a member of unknown kind"],
    ["no magic", [header({ magic: "rats" })], "a header of no known kind"],
    ["holes", [extended("x", "22 GNU.sparse.major=1\n"), header({})], "a file with holes"],
    ["a global name", [extended("g", "9 path=a\n"), header({})], "all its files one name or size"],
    ["broken pax records", [extended("x", "99 path=a\n"), header({})], "that cannot be read"],
    ["too long an extension", [header({ type: "x", size: octal(100_000) })], "that is too long"],
    ["an extension and no member", [extended("x", "9 path=a\n")], "ends after an extended header"],
    ["extensions without end", Array(20).fill(extended("x", "9 path=a\n")), "too many extended headers"],
  ])("%s: refused", async (_what, blocks, message) => {
    expect(await outcomeOf([...blocks, end])).toContain(message);
  });

  test("what follows the end is refused, unless it is a record's zeros", async () => {
    expect(await outcomeOf([header({}), end, Buffer.alloc(9000)])).toHaveLength(1);
    expect(await outcomeOf([header({}), end, Buffer.from("x")])).toBe("it goes on after its end");
    expect(await outcomeOf([header({}), end, Buffer.alloc(1024 * 1024 + 1)])).toBe(
      "it goes on after its end",
    );
  });
});

describe("limits", () => {
  test("more files or bytes than allowed are refused before they are written", async () => {
    const archive = [
      header({ name: "a", size: octal(600) }),
      padded("x".repeat(600)),
      header({ name: "b" }),
      end,
    ];
    await expect(read(archive, { files: 1, contentBytes: 600 })).rejects.toThrow("more than 1 files");
    await expect(read(archive, { files: 2, contentBytes: 599 })).rejects.toThrow("more than the 599 bytes");
    expect(await read(archive, { files: 2, contentBytes: 600 })).toHaveLength(2);
  });

  test("the folder itself may not come for ever", async () => {
    const archive = Array(3).fill(header({ name: "./", type: "5" }));
    await expect(read([...archive, end], { ...noLimits, files: 2 })).rejects.toThrow("more than 2 files");
  });
});
