import fs, { mkdtempSync, readdirSync, readlinkSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, vi } from "vitest";
import { openAppendFile } from "../../src/host/node-append-file.ts";
import { spawn } from "../../src/host/node-child-process.ts";
import { nodeContentFiles } from "../../src/host/node-content-files.ts";
import type { LocalizeSource } from "../../src/staging-client/localize-config.ts";
import { testWith } from "../test-with.ts";
import { entriesOf } from "./file-server.ts";
import { secret } from "./localize.ts";
import { start } from "./programs.ts";

/** Creates a directory for a test and returns its real path. */
function newDirectory(): string {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "firesteel-")));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  return directory;
}

/** Lists the files below a directory that this process has open. */
function openBelow(directory: string): readonly string[] {
  return readdirSync("/proc/self/fd").flatMap((descriptor) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${descriptor}`);
      return path.startsWith(directory) ? [path] : [];
    } catch {
      return [];
    }
  });
}

testWith("Linux")("an output that cannot be opened leaves no other output of its process open", () => {
  const directory = newDirectory();
  const missing = { file: `${directory}/missing/err` };
  expect(() => spawn("true", [], { stdout: { file: `${directory}/out` }, stderr: missing })).toThrow("ENOENT");
  // A directory can be opened for reading only.
  expect(() => spawn("true", [], { stdout: { namedPipe: directory } })).toThrow("EISDIR");
  expect(openBelow(directory)).toEqual([]);
});

testWith("Linux")("a file whose properties cannot be read is closed", async () => {
  const directory = newDirectory();
  const path = `${directory}/file`;
  writeFileSync(path, "content");
  const handle = await open(path);
  const stat = vi.spyOn(Object.getPrototypeOf(handle), "stat").mockRejectedValue(new Error("EIO"));
  onTestFinished(() => stat.mockRestore());
  await handle.close();
  const { openReader, openWriter } = nodeContentFiles();
  await expect(openReader(path)).rejects.toThrow("EIO");
  await expect(openWriter(path)).rejects.toThrow("EIO");
  const fstat = vi.spyOn(fs, "fstatSync").mockImplementation(() => {
    throw new Error("EIO");
  });
  syncBuiltinESMExports();
  onTestFinished(() => {
    fstat.mockRestore();
    syncBuiltinESMExports();
  });
  expect(() => openAppendFile(path)).toThrow("EIO");
  expect(openBelow(directory)).toEqual([]);
});

/** Runs an init container that may open few files at a time, to localize 300 files of one source. */
function localizeMany(source: LocalizeSource) {
  const directory = newDirectory();
  const config = { directory, sources: [source], timeoutSeconds: 30 };
  writeFileSync(`${directory}/config.json`, JSON.stringify(config));
  const args = ["--termination-log", `${directory}/log`, `${directory}/config.json`];
  const program = start("spark-init-container", args, { maxOpenFiles: 64 });
  return { program, listLocalized: () => readdirSync(`${directory}/files`) };
}

const names = Array.from({ length: 300 }, (_, index) => `file-${index}`);

testWith("Linux")("a push of many files needs few open files", async () => {
  const entries = entriesOf(Object.fromEntries(names.map((name) => [`files/${name}`, name])));
  const { program, listLocalized } = localizeMany({ kind: "push", port: 0, secretFile: secret(), entries });
  const port = await new Promise((resolve) => {
    program.child.stdout.on("data", (chunk) => {
      const found = /on port (\d+)\n/.exec(String(chunk))?.[1];
      if (found !== undefined) resolve(found);
    });
  });
  const headers = { "x-submission-secret": "good-token" };
  const url = `http://127.0.0.1:${port}/v1/submissions/create`;
  const response = await fetch(url, { method: "POST", headers, body: names.join("") });
  expect(response.status).toBe(200);
  expect(await program.ended).toMatchObject({ exit: 0 });
  expect(listLocalized()).toHaveLength(names.length);
});
