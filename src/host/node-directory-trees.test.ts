import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { nodeDirectoryTrees } from "./node-directory-trees.ts";

const trees = nodeDirectoryTrees();

function makeDirectory(): string {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "directory-trees-")));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

test("removes a directory with its content, and counts the bytes of files", async () => {
  const root = makeDirectory();
  mkdirSync(join(root, "x", "00", "deep"), { recursive: true });
  writeFileSync(join(root, "x", "one"), "12345");
  writeFileSync(join(root, "x", "00", "deep", "two"), "123");
  expect(await trees.remove(join(root, "x"))).toEqual({ bytes: 8 });
  expect(existsSync(join(root, "x"))).toBe(false);
  expect(await trees.remove(join(root, "x"))).toEqual({ bytes: 0 });
  expect(await trees.remove(join(root, "missing", "x"))).toEqual({ bytes: 0 });
});

test("removes what is beside an entry that cannot be removed, and returns the reason", async () => {
  const root = makeDirectory();
  mkdirSync(join(root, "x", "a", ...Array.from({ length: 70 }, () => "d")), { recursive: true });
  mkdirSync(join(root, "x", "b"));
  for (const file of ["a/one", "b/two"]) writeFileSync(join(root, "x", file), "12345");
  expect(await trees.remove(join(root, "x"))).toEqual({ bytes: 10, problem: "the directory d is nested too deeply" });
  expect(readdirSync(join(root, "x"))).toEqual(["a"]);
  expect(readdirSync(join(root, "x", "a"))).toEqual(["d"]);
});

test("removes links, and not what they lead to", async () => {
  const root = makeDirectory();
  mkdirSync(join(root, "other"));
  writeFileSync(join(root, "other", "file"), "kept");
  mkdirSync(join(root, "x"));
  symlinkSync(join(root, "other"), join(root, "x", "directory"));
  symlinkSync(join(root, "other", "file"), join(root, "x", "file"));
  symlinkSync(join(root, "other"), join(root, "link"));
  expect(await trees.remove(join(root, "x"))).toEqual({ bytes: 0 });
  expect(await trees.remove(join(root, "link", "file"))).toEqual({ bytes: 0 });
  expect(readFileSync(join(root, "other", "file"), "utf8")).toBe("kept");
});

test("lists directories without links, and moves them", async () => {
  const root = makeDirectory();
  mkdirSync(join(root, "x"));
  writeFileSync(join(root, "file"), "");
  symlinkSync(join(root, "x"), join(root, "link"));
  expect(await trees.list(root)).toEqual([{ name: "x", modifiedMs: expect.any(Number) }]);
  expect(await trees.list(join(root, "link"))).toEqual([]);
  expect(await trees.move(join(root, "x"), join(root, ".removed-1"))).toBe(true);
  expect(await trees.move(join(root, "x"), join(root, ".removed-2"))).toBe(false);
  expect((await trees.list(root)).map(({ name }) => name)).toEqual([".removed-1"]);
});
