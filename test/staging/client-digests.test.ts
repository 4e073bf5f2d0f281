import { mkdirSync, truncateSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { nodeHost } from "../../src/host/node-host.ts";
import { digestCache } from "../../src/staging-client/digest-cache.ts";
import { temporaryDirectory } from "../acceptance/programs.ts";
import { contentOf } from "./staging-program.ts";

const host = nodeHost();

describe("digests", () => {
  test("are cached until the file changes", async () => {
    const directory = temporaryDirectory();
    const cache = join(directory, "cache");
    const path = join(directory, "a.jar");
    const old = new Date("2026-01-01T00:00:00Z");
    writeFileSync(path, "one");
    utimesSync(path, old, old);
    const digests = digestCache(host, cache);
    expect(await digests.digestOf(path)).toEqual({
      digest: contentOf(Buffer.from("one")).digest,
      ...{ size: 3, executable: false },
    });
    digests.save();
    let read = 0;
    const onRead = (bytes: number) => {
      read += bytes;
    };
    const later = digestCache(host, cache);
    await later.digestOf(path, { onRead });
    expect(read).toBe(0);
    writeFileSync(path, "two");
    expect((await later.digestOf(path, { onRead })).digest).toBe(contentOf(Buffer.from("two")).digest);
    expect(read).toBe(3);
    // The file was just written. A further write could have the same modification time, so it is not cached.
    await later.digestOf(path, { onRead });
    expect(read).toBe(6);
  });

  test("reports unreadable files, and ignores a broken cache", async () => {
    const directory = temporaryDirectory();
    writeFileSync(join(directory, "digests.json"), "[broken");
    const digests = digestCache(host, directory);
    await expect(digests.digestOf(join(directory, "no"))).rejects.toMatchObject({
      code: "SUBMIT_ERR_FILE_UNREADABLE",
    });
    mkdirSync(join(directory, "sub"));
    await expect(digests.digestOf(join(directory, "sub"))).rejects.toThrow("it is not a file");
    writeFileSync(join(directory, "a"), "");
    truncateSync(join(directory, "a"), 3_000_000);
    const aborter = new AbortController();
    const options = { signal: aborter.signal, onRead: () => aborter.abort(new Error("aborted")) };
    await expect(digests.digestOf(join(directory, "a"), options)).rejects.toThrow("aborted");
  });
});
