import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { nodeHost } from "./node-host.ts";
import { replaceFile } from "./replace-file.ts";

function fileWith(content: string): { readonly directory: string; readonly path: string } {
  const directory = mkdtempSync(join(tmpdir(), "replace-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const path = join(directory, "file");
  writeFileSync(path, content);
  return { directory, path };
}

test("a file is replaced with its new content and mode, and no draft remains", () => {
  const { directory, path } = fileWith("old");
  chmodSync(path, 0o644);
  replaceFile(nodeHost(), path, "new", { mode: 0o600 });
  expect(readFileSync(path, "utf8")).toBe("new");
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readdirSync(directory)).toEqual(["file"]);
});

test("a write that fails on a full disk keeps the old file and leaves no draft", () => {
  const { directory, path } = fileWith("old");
  const host = nodeHost();
  const write = (target: string) => {
    host.files.write(target, "pa");
    throw new Error("ENOSPC");
  };
  expect(() => replaceFile({ ...host, files: { ...host.files, write } }, path, "new")).toThrow("ENOSPC");
  expect(readFileSync(path, "utf8")).toBe("old");
  expect(readdirSync(directory)).toEqual(["file"]);
});
