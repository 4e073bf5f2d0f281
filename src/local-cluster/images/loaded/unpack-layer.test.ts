import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { packTar } from "modern-tar";
import { describe, expect, onTestFinished, test } from "vitest";
import { nodeHost } from "../../../host/node-host.ts";
import { unpackBudget } from "./unpack-budget.ts";
import { unpackLayer } from "./unpack-layer.ts";

type Entry = Parameters<typeof packTar>[0][number];
type Header = Entry["header"];

const file = (name: string, body: string | Uint8Array = "", header: Partial<Header> = {}): Entry => ({
  header: { name, size: Buffer.byteLength(body), type: "file", ...header },
  body,
});
const special = (type: NonNullable<Header["type"]>, name: string, header: Partial<Header> = {}): Entry => ({
  header: { name, size: 0, type, ...header },
});

/** Smaller than in production, so that bombs are small. */
const minBudget = 8 * 1024 * 1024;

/** Unpacks layers on this machine, into a directory beside another one that they must not change. */
async function unpack(...layers: readonly (readonly Entry[] | Uint8Array)[]) {
  const directory = mkdtempSync(join(tmpdir(), "firesteel-layer-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const [root, outside] = [join(directory, "image", "root"), join(directory, "outside")];
  mkdirSync(root, { recursive: true });
  mkdirSync(join(outside, "below"), { recursive: true, mode: 0o700 });
  chmodSync(outside, 0o700);
  writeFileSync(join(outside, "secret"), "untouched");
  const { files } = nodeHost();
  const unpackAll = async () => {
    for (const [index, layer] of layers.entries()) {
      const archive = join(directory, `${index}.tar`);
      const bytes = layer instanceof Uint8Array ? layer : await packTar([...layer]);
      writeFileSync(archive, bytes);
      await unpackLayer(files, archive, { root, budget: unpackBudget(bytes.length, minBudget) });
    }
  };
  const result = await unpackAll().then(
    () => "unpacked",
    (error: unknown) => String(error),
  );
  const isUntouched =
    readdirSync(outside).join() === "below,secret" &&
    readFileSync(join(outside, "secret"), "utf8") === "untouched" &&
    [outside, join(outside, "below")].every((path) => (statSync(path).mode & 0o7777) === 0o700) &&
    readdirSync(directory).every((name) => /^(image|outside|\d+\.tar)$/.test(name));
  expect(isUntouched).toBe(true);
  return { root, result };
}

const out = "../../outside";
const open = { mode: 0o777 };
const pathRecord = (name: string) => ({ pax: { path: name } });

test("files keep their times, also as hard links", async () => {
  const mtime = new Date("2020-01-02T03:04:05Z");
  const { root } = await unpack([file("a", "x", { mtime }), special("link", "b", { linkname: "a" })]);
  expect(["a", "b"].map((name) => statSync(join(root, name)).mtime)).toEqual([mtime, mtime]);
});

describe("a layer", () => {
  test.each<[string, readonly (readonly Entry[])[]]>([
    ["absolute and .. names", [[file("/a", "x"), file("../../outside/secret", "x"), file("a/../../b", "x")]]],
    ["a hard link out of it", [[special("link", "secret", { linkname: `${out}/secret` }), file("secret", "changed")]]],
    ["a file through a link", [[special("symlink", "out", { linkname: out }), file("out/secret", "changed")]]],
    ["a file over a link", [[special("symlink", "s", { linkname: `${out}/secret` }), file("s", "changed")]]],
    [
      "a file over a link of an earlier layer",
      [[special("symlink", "s", { linkname: `${out}/secret` })], [file("s", "x")]],
    ],
    [
      "a hard link to a link, then a file",
      [
        [
          special("symlink", "s", { linkname: `${out}/secret` }),
          special("link", "h", { linkname: "s" }),
          file("h", "x"),
        ],
      ],
    ],
    [
      "a directory with a mode, replaced by a link",
      [[special("directory", "a"), special("directory", "a/below", open), special("symlink", "a", { linkname: out })]],
    ],
    [
      "a directory over a link",
      [[special("symlink", "d", { linkname: out }), special("directory", "d", open), file("d/secret")]],
    ],
    [
      "a whiteout through a link",
      [[special("symlink", "out", { linkname: out })], [file("out/.wh.secret"), file("out/.wh..wh..opq")]],
    ],
    ["whiteouts of its parent", [[file("a", "x")], [file(".wh...")]]],
    ["a whiteout of the parent of a directory", [[file("a/b", "x")], [file("a/.wh...")]]],
    ["a whiteout without a name", [[file("a/b", "x")], [file("a/.wh.")]]],
  ])("with %s changes nothing outside of its directory", async (_, layers) => {
    const { root } = await unpack(...layers);
    expect(statSync(root).isDirectory()).toBe(true);
  });

  test("with devices, pipes, setuid bits and unusual names has files without privileges", async () => {
    const { root, result } = await unpack([
      ...[special("character-device", "null"), special("block-device", "disk"), special("fifo", "pipe")],
      ...[file("su", "x", { mode: 0o6755 }), file("line\nbreak", "1"), file("Case", "1"), file("case", "2")],
    ]);
    expect(result).toBe("unpacked");
    expect(readdirSync(root).sort()).toEqual(["Case", "case", "line\nbreak", "su"]);
    expect(statSync(join(root, "su")).mode & 0o7777).toBe(0o755);
  });

  const long = "n".repeat(2000);
  const entries = [file("a", "content")];
  test.each<[string, () => Promise<readonly Entry[] | Uint8Array>, RegExp]>([
    ["a name of 2,000 bytes", async () => [file(long, "x", pathRecord(long))], /ENAMETOOLONG/],
    ["NUL in a name", async () => [file("a", "x", pathRecord("a\0b"))], /null bytes/],
    ["a sparse file", async () => [file("a", "x", { pax: { "GNU.sparse.major": "1" } })], /a is a sparse file/],
    ["a size that is too large", async () => withLargerSize(), /truncated/],
    ["a cut", async () => (await packTar(entries)).subarray(0, 700), /truncated/],
    ["a cut in gzip", async () => gzipSync(await packTar(entries)).subarray(0, -20), /./],
    ["data after its end", async () => Buffer.concat([await packTar(entries), Buffer.from("x")]), /EOF/],
    [
      "a gzip bomb",
      async () => gzipSync(await packTar([file("bomb", Buffer.alloc(2 * minBudget))])),
      /more than 200 times its size/,
    ],
    ["links that copy a large file", async () => linkBomb(), /more than 200 times its size/],
    ["a zstd window of 2 GiB", async () => Buffer.from("28b52ffd00a8010000", "hex"), /window is larger than 128 MiB/],
    ["a zstd bomb", async () => zstdBomb(), /more than 200 times its size/],
  ])("with %s is rejected", async (_, layer, message) => {
    expect((await unpack(await layer())).result).toMatch(message);
  });

  test("in several gzip members is unpacked", async () => {
    const bytes = await packTar(entries);
    const { root, result } = await unpack(
      Buffer.concat([gzipSync(bytes.subarray(0, 600)), gzipSync(bytes.subarray(600))]),
    );
    expect(result).toBe("unpacked");
    expect(readFileSync(join(root, "a"), "utf8")).toBe("content");
  });

  test("replaces directories by files, and the other way round", async () => {
    const { root } = await unpack(
      [file("a/b", "1"), file("c", "1")],
      [file("a", "2"), special("directory", "c"), file("c/d", "2")],
    );
    expect(readFileSync(join(root, "a"), "utf8")).toBe("2");
    expect(readFileSync(join(root, "c", "d"), "utf8")).toBe("2");
  });
});

test("a budget allows 200 times the size of the archive, and at least 256 MiB", () => {
  const mebibyte = 1024 * 1024;
  for (const [archiveBytes, allowedBytes] of [
    [1000, 256 * mebibyte],
    [2 * mebibyte, 400 * mebibyte],
  ] as const) {
    const budget = unpackBudget(archiveBytes);
    budget(allowedBytes);
    expect(() => budget(1)).toThrow("more than 200 times its size");
  }
});

/** Changes the size in a pax record, which applies instead of that of the header. */
async function withLargerSize(): Promise<Uint8Array> {
  const bytes = Buffer.from(await packTar([file("a", "x".repeat(500), { pax: { size: "500" } })]));
  bytes.write("size=999", bytes.indexOf("size=500"));
  return bytes;
}

async function linkBomb(): Promise<Uint8Array> {
  const links = Array.from({ length: 20 }, (_, index) => special("link", `l${index}`, { linkname: "big" }));
  return gzipSync(await packTar([file("big", Buffer.alloc(1024 * 1024)), ...links]));
}

/** Builds 100 blocks that each repeat a byte 131,071 times. Source: RFC 8878, section 3.1.1.2. */
function zstdBomb(): Uint8Array {
  const header = Buffer.from("28b52ffd0058", "hex");
  const block = Buffer.alloc(4);
  block.writeUIntLE((131_071 << 3) | 2, 0, 3);
  return Buffer.concat([header, Buffer.alloc(4 * 100, block)]);
}
