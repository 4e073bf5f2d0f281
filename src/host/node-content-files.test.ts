import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { nodeContentFiles } from "./node-content-files.ts";

test("all who wait for the names of a folder at once are told how that went, and later ones how it goes then", async () => {
  const { syncDirectory } = nodeContentFiles();
  const root = mkdtempSync(join(tmpdir(), "firesteel-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const folder = join(root, "folder");
  const ask = async () => {
    const asked = Array.from({ length: 20 }, () => syncDirectory(folder));
    const told = await Promise.allSettled(asked);
    return new Set(told.map(({ status }) => status));
  };
  expect(await ask()).toEqual(new Set(["rejected"]));
  mkdirSync(folder);
  expect(await ask()).toEqual(new Set(["fulfilled"]));
});
