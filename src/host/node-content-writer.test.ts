import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openContentWriter } from "./node-content-writer.ts";

function directory(): string {
  const root = mkdtempSync(join(tmpdir(), "firesteel-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  return root;
}

const piece = (value: number, bytes = 50_000) => Buffer.alloc(bytes, value);

test("files that many write at once have all their pieces in their order", { tags: "long" }, async () => {
  const root = directory();
  const names = Array.from({ length: 12 }, (_, index) => join(root, `${index}`));
  const write = async (path: string) => {
    writeFileSync(path, "old");
    const writer = await openContentWriter(path);
    for (let value = 0; value < 200; value += 1) await writer.append(piece(value));
    await writer.sync();
    expect(writer.sizeBytes()).toBe(3 + 200 * 50_000);
    await writer.close();
  };
  await Promise.all(names.map(write));
  const content = Buffer.concat([Buffer.from("old"), ...Array.from({ length: 200 }, (_, value) => piece(value))]);
  for (const path of names) expect(readFileSync(path).equals(content)).toBe(true);
});

test("idle writers do not block others", async () => {
  const root = directory();
  const idle = await Promise.all(
    Array.from({ length: 30 }, (_, index) => openContentWriter(join(root, `idle-${index}`))),
  );
  const writer = await openContentWriter(join(root, "busy"));
  await writer.append(piece(1));
  await writer.flush();
  expect(writer.sizeBytes()).toBe(50_000);
  for (const each of [...idle, writer]) await each.close();
});

test("reports a full disk, and writes nothing after the gap", async () => {
  const writer = await openContentWriter("/dev/full");
  const pieces = Array.from({ length: 20 }, (_, value) => piece(value));
  const appended = (async () => {
    for (const each of pieces) await writer.append(each);
  })();
  await expect(appended).rejects.toMatchObject({ code: "ENOSPC" });
  await expect(writer.flush()).rejects.toMatchObject({ code: "ENOSPC" });
  await expect(writer.append(piece(1))).rejects.toMatchObject({ code: "ENOSPC" });
  expect(writer.sizeBytes()).toBe(0);
  await writer.close();
});
