import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { nodeContentFiles } from "../../host/node-content-files.ts";
import { nodeHost } from "../../host/node-host.ts";
import { openDirectoryUploads } from "./directory-uploads.ts";
import { storeLayout } from "./layout.ts";

const digest = `sha256:${"0".repeat(64)}` as const;

/** Uploads on this machine's disk. Files for writing open only after `release`. */
function slowUploads() {
  const root = mkdtempSync(join(tmpdir(), "firesteel-uploads-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const layout = storeLayout(root);
  mkdirSync(layout.uploads, { recursive: true });
  const files = nodeContentFiles();
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const openWriter = async (path: string) => {
    await released;
    return files.openWriter(path);
  };
  const uploads = openDirectoryUploads({ host: nodeHost(), contents: { ...files, openWriter }, layout });
  return { uploads, release, names: () => readdirSync(layout.uploads) };
}

test("an upload that is aborted while its file is being opened leaves no file", async () => {
  const { uploads, release, names } = slowUploads();
  const upload = await uploads.create("team", { digest, size: 2 });
  const read = async (take: (piece: Uint8Array) => unknown) => void (await take(Buffer.from("a")));
  const written = uploads.append(upload, { offset: 0, read, cut: () => {} });
  const aborted = uploads.abort(upload.uploadId);
  setImmediate(release);
  await Promise.all([written, aborted]);
  expect(names()).toEqual([]);
});

test("an upload that was aborted takes no bytes", async () => {
  const { uploads, release, names } = slowUploads();
  release();
  const upload = await uploads.create("team", { digest, size: 2 });
  await uploads.abort(upload.uploadId);
  const read = async () => {
    throw new Error("read");
  };
  expect(await uploads.append(upload, { offset: 0, read, cut: () => {} })).toEqual({ offset: 0, isWrong: true });
  expect(names()).toEqual([]);
});
