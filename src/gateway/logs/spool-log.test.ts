import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { testHost } from "../../host/test-host.ts";
import { spoolLog } from "./spool-log.ts";

async function* chunks(...parts: readonly (string | Error)[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) {
    if (typeof part !== "string") throw part;
    yield Buffer.from(part);
  }
}

const path = "/w/a.log.gz";

function machine() {
  return testHost({ files: { "/w/x": "" } });
}

test("a log is written completely, for its owner only, and its last lines are returned", async () => {
  const { files } = machine();
  const spooled = await spoolLog(chunks("one\ntw", "o\nthree\n"), { lastLines: 2, file: { files, path } });
  expect(spooled).toEqual({ tail: { lines: ["two", "three"], from: 1, total: 3 } });
  expect(gunzipSync(files.readBytes(path) ?? "").toString()).toBe("one\ntwo\nthree\n");
  expect((files.info(path)?.mode ?? 0) & 0o777).toBe(0o600);
});

test("a full disk does not end the reading", async () => {
  const { files } = machine();
  const full = new Error("ENOSPC: no space left on device, write");
  const fullDisk = {
    ...files,
    append() {
      throw full;
    },
  };
  const spooled = await spoolLog(chunks("one\ntwo\n"), { lastLines: 2, file: { files: fullDisk, path } });
  expect(spooled).toEqual({ tail: { lines: ["one", "two"], from: 0, total: 2 }, writeError: full });
  expect(files.info(path)).toBeUndefined();
});

test("a log that breaks off is written as far as it arrived", async () => {
  const { files } = machine();
  const broken = new Error("ECONNRESET");
  const spooled = await spoolLog(chunks("one\n", broken), { lastLines: 2, file: { files, path } });
  expect(spooled).toEqual({ tail: { lines: ["one"], from: 0, total: 1 }, readError: broken });
  expect(gunzipSync(files.readBytes(path) ?? "").toString()).toBe("one\n");
});

test("long lines are left out of the last lines until they fit into a record", async () => {
  const line = `${"x".repeat(50_000)}\n`;
  const { tail } = await spoolLog(chunks(line, line, line, line), { lastLines: 100 });
  expect(tail).toMatchObject({ from: 1, total: 4, lines: { length: 3 } });
});
