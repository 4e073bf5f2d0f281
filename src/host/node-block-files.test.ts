import { execFileSync } from "node:child_process";
import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { nodeBlockFiles } from "./node-block-files.ts";

const files = nodeBlockFiles();

function makeDirectory(): string {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "block-files-")));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  return directory;
}

async function readText(directory: string, name: string): Promise<string | undefined> {
  const file = await files.open(directory, name);
  const buffer = Buffer.alloc(file?.sizeBytes ?? 0);
  await file?.read([buffer], 0);
  file?.close();
  return file === undefined ? undefined : buffer.toString();
}

test("fills several buffers from a position", async () => {
  const directory = makeDirectory();
  writeFileSync(join(directory, "x"), "0123456789");
  const file = await files.open(directory, "x");
  const buffers = [Buffer.alloc(2), Buffer.alloc(3), Buffer.alloc(9)];
  expect(await file?.read(buffers, 1)).toBe(9);
  expect(Buffer.concat(buffers).toString("latin1", 0, 9)).toBe("123456789");
  expect([file?.sizeBytes, file?.currentBytes()]).toEqual([10, 10]);
  writeFileSync(join(directory, "x"), "01");
  expect([file?.sizeBytes, file?.currentBytes()]).toEqual([10, 2]);
  file?.close();
});

test("opens no link, directory, pipe or missing file", async () => {
  const directory = makeDirectory();
  writeFileSync(join(directory, "file"), "text");
  symlinkSync(join(directory, "file"), join(directory, "link"));
  symlinkSync(directory, join(directory, "itself"));
  mkdirSync(join(directory, "directory"));
  execFileSync("mkfifo", [join(directory, "pipe")]);
  expect(await readText(directory, "file")).toBe("text");
  for (const name of ["link", "directory", "pipe", "missing", "file/x", "itself/file", "x".repeat(300)]) {
    expect(await readText(directory, name)).toBeUndefined();
  }
  expect(await readText(join(directory, "itself"), "file")).toBeUndefined();
  expect(await readText(`${directory}/directory/..`, "file")).toBeUndefined();
});

test("does not read or remove through a directory that was replaced by a link", async () => {
  const directory = makeDirectory();
  mkdirSync(join(directory, "own"));
  mkdirSync(join(directory, "other"));
  writeFileSync(join(directory, "other", "x"), "secret");
  renameSync(join(directory, "own"), join(directory, "moved"));
  symlinkSync(join(directory, "other"), join(directory, "own"));
  expect(await readText(join(directory, "own"), "x")).toBeUndefined();
  expect(await files.remove(join(directory, "own"), "x")).toBe(false);
  expect(await readText(join(directory, "other"), "x")).toBe("secret");
});

test("removes files, and links without following them", async () => {
  const directory = makeDirectory();
  writeFileSync(join(directory, "x"), "text");
  symlinkSync(join(directory, "x"), join(directory, "link"));
  expect(await files.remove(directory, "link")).toBe(true);
  expect(await readText(directory, "x")).toBe("text");
  expect(await files.remove(directory, "x")).toBe(true);
  expect(await files.remove(directory, "x")).toBe(false);
  expect(await files.remove(join(directory, "missing"), "x")).toBe(false);
});

test("the identity follows content and replacement", async () => {
  const directory = makeDirectory();
  writeFileSync(join(directory, "x"), "one");
  const first = await files.identify(directory, "x");
  const file = await files.open(directory, "x");
  expect(file?.identity).toBe(first);
  file?.close();
  writeFileSync(join(directory, "y"), "two");
  renameSync(join(directory, "y"), join(directory, "x"));
  const second = await files.identify(directory, "x");
  expect(second).not.toBe(first);
  linkSync(join(directory, "x"), join(directory, "z"));
  expect(await files.identify(directory, "z")).toBe(second);
  expect(await files.identify(directory, "missing")).toBeUndefined();
});
