import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { nodeContentFiles } from "./node-content-files.ts";

test("concurrent syncs of a directory share one result, and later ones get a new result", async () => {
  const { syncDirectory } = nodeContentFiles();
  const root = mkdtempSync(join(tmpdir(), "firesteel-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const directory = join(root, "directory");
  const syncAll = async () => {
    const syncs = Array.from({ length: 20 }, () => syncDirectory(directory));
    const results = await Promise.allSettled(syncs);
    return new Set(results.map(({ status }) => status));
  };
  expect(await syncAll()).toEqual(new Set(["rejected"]));
  mkdirSync(directory);
  expect(await syncAll()).toEqual(new Set(["fulfilled"]));
});
