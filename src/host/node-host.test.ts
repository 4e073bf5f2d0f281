import { expect, test } from "vitest";
import { nodeHost } from "./node-host.ts";

test("a command that cannot be started tells why, whichever way Node says it", async () => {
  const host = nodeHost();
  const missing = await host.spawn("/no/such/program", []).exited;
  expect(missing).toMatchObject({ code: 127, error: expect.stringContaining("ENOENT") });
  const tooLong = await host.spawn("true", [], { env: { X: "x".repeat(4_000_000) } }).exited;
  expect(tooLong).toMatchObject({ code: 126, error: expect.stringContaining("E2BIG") });
});

test("a directory is made with its parents, twice as well, and not where none can be", () => {
  const { files } = nodeHost();
  const root = files.makeTemporaryDirectory(`${files.temporaryRoot}/firesteel-host-`);
  try {
    files.makeDirectory(`${root}/a//b/c`);
    files.makeDirectory(`${root}/a/b/c/`);
    expect(files.info(`${root}/a/b/c`)?.kind).toBe("directory");
    files.write(`${root}/file`, "");
    expect(() => files.makeDirectory(`${root}/file`)).toThrow(/EEXIST/);
    expect(() => files.makeDirectory(`${root}/file/below`)).toThrow(/ENOTDIR/);
    expect(() => files.makeDirectory("/proc/firesteel/below")).toThrow(/ENOENT/);
  } finally {
    files.remove(root);
  }
});
