import { spawnSync } from "node:child_process";
import { chmodSync, createReadStream, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { readTar, type TarFile } from "../../src/init-container/tar/read-tar.ts";
import { requires, testWith } from "../test-with.ts";
import { temporaryDirectory } from "./programs.ts";

const name = fc.stringMatching(/^[A-Za-z0-9_][A-Za-z0-9._ é-]{0,110}$/);
const files = fc.uniqueArray(fc.record({ name, content: fc.string({ maxLength: 1500 }), executable: fc.boolean() }), {
  selector: (file) => file.name,
  minLength: 1,
  maxLength: 4,
});

async function read(path: string): Promise<Readonly<Record<string, string>>> {
  const found: { file: TarFile; chunks: Uint8Array[] }[] = [];
  const sink = {
    start: (file: TarFile) => void found.push({ file, chunks: [] }),
    write: (chunk: Uint8Array) => void found.at(-1)?.chunks.push(chunk),
    end: () => {},
  };
  await readTar(createReadStream(path), sink, { files: 100, contentBytes: 1e9 });
  return Object.fromEntries(
    found.map(({ file, chunks }) => [file.name, `${file.executable} ${Buffer.concat(chunks).toString("utf8")}`]),
  );
}

const formats = ["gnu", "oldgnu", "pax", "ustar"] as const;

test.for(formats)("reads an archive of GNU tar in format %s", async (format, context) => {
  requires("GNU tar")(context);
  const property = fc.asyncProperty(files, fc.boolean(), async (generated, withDirectory) => {
    const directory = temporaryDirectory();
    // An ustar name without a directory has at most 100 bytes.
    const kept = generated.filter((file) => format !== "ustar" || Buffer.byteLength(file.name) < 90);
    for (const { name: called, content, executable } of kept) {
      writeFileSync(join(directory, called), content);
      chmodSync(join(directory, called), executable ? 0o700 : 0o600);
    }
    const archive = join(temporaryDirectory(), "archive.tar");
    const args = withDirectory || kept.length === 0 ? ["."] : readdirSync(directory);
    const packed = spawnSync("tar", ["--format", format, "-cf", archive, "-C", directory, "--", ...args]);
    expect(packed.status).toBe(0);
    const expected = kept.map(({ name: called, executable }) => [
      called,
      `${executable} ${readFileSync(join(directory, called), "utf8")}`,
    ]);
    expect(await read(archive)).toEqual(Object.fromEntries(expected));
  });
  await fc.assert(property, { numRuns: 25 });
});

testWith("GNU tar")("rejects a sparse file, a link and a subdirectory of GNU tar", async () => {
  const directory = temporaryDirectory();
  const archive = join(temporaryDirectory(), "archive.tar");
  const pack = (...args: readonly string[]) => spawnSync("tar", [...args, "-cf", archive, "-C", directory, "."]);
  spawnSync("truncate", ["-s", "10M", join(directory, "holes")]);
  for (const args of [
    ["-S", "--format=gnu"],
    ["-S", "--format=pax"],
  ]) {
    pack(...args);
    await expect(read(archive)).rejects.toThrow("a sparse file");
  }
  spawnSync("sh", ["-c", "rm holes; mkdir below; touch below/x"], { cwd: directory });
  pack();
  await expect(read(archive)).rejects.toThrow("has a subdirectory");
  spawnSync("sh", ["-c", "rm -r below; ln -s /etc/passwd link"], { cwd: directory });
  pack();
  await expect(read(archive)).rejects.toThrow("it has a symbolic link");
});
