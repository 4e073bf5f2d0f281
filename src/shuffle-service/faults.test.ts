/** @module-tag long */

import { readdirSync, rmSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { BlockFiles } from "../host/block-files.ts";
import type { AppendFile, Host } from "../host/host.ts";
import { nodeBlockFiles } from "../host/node-block-files.ts";
import { nodeHost } from "../host/node-host.ts";
import { testClock } from "../host/test-clock.ts";
import { testChunkRequest, testFetch } from "./protocol/test-requests.ts";
import { testExecutor, testService } from "./test-service.ts";

/** Lists the open files of this process below directories. */
function openFilesBelow(directories: readonly string[]): readonly string[] {
  return readdirSync("/proc/self/fd").flatMap((descriptor) => {
    const path = nodeHost().files.readLink(`/proc/self/fd/${descriptor}`) ?? "";
    return directories.some((directory) => path.startsWith(directory)) ? [path] : [];
  });
}

describe("a full disk", () => {
  /** Files of a disk that takes half of a line when it is full. */
  function fullDisk() {
    const { files } = nodeHost();
    const state = { isFull: false };
    const limited = (file: AppendFile): AppendFile => ({
      ...file,
      append(content) {
        if (!state.isFull) return file.append(content);
        file.append(content.slice(0, Math.floor(content.length / 2)));
        throw Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
      },
    });
    const openAppend: Host["files"]["openAppend"] = async (...args) => limited(await files.openAppend(...args));
    return { state, files: { ...files, openAppend } };
  }

  test("does not reject executors, and leaves no part of a line", async () => {
    const disk = fullDisk();
    const first = await testService({ host: { files: disk.files } });
    const client = await first.connect();
    const [lost, stored] = ["1", "2"].map((id) => testExecutor(first.root, `app-${id}`));
    if (lost === undefined || stored === undefined) throw new Error("no executors");
    disk.state.isFull = true;
    await client.rpc(lost.registration);
    lost.writeBlocks(1, 0n, ["served"]);
    expect((await client.fetch(testFetch(lost.key, 1, [[0n, [0]]]))).toString()).toBe("served");
    expect(first.log()).toContainEqual(
      expect.objectContaining({
        level: "ERROR",
        text: "A registration cannot be stored, so a restart loses it.",
        reason: "ENOSPC: no space left on device, write",
      }),
    );
    disk.state.isFull = false;
    await client.rpc(stored.registration);
    await first.stop();
    const second = await testService({ ...first.settings, root: first.root });
    expect(second.log()).toContainEqual(
      expect.objectContaining({ text: "Registrations were recovered.", executors: 1 }),
    );
    expect(second.log().filter(({ text }) => String(text).includes("damaged"))).toEqual([]);
  });
});

describe("a slow disk", () => {
  /** Files whose names have a prefix open when the test says so. */
  function slowDisk(prefix: string) {
    const waiting: (() => void)[] = [];
    const openFiles = (...args: Parameters<typeof nodeBlockFiles>): BlockFiles => {
      const files = nodeBlockFiles(...args);
      return {
        ...files,
        async open(directory, name) {
          if (name.startsWith(prefix)) await new Promise<void>((resolve) => waiting.push(resolve));
          return files.open(directory, name);
        },
      };
    };
    return { openFiles, waiting };
  }

  test("stops only the clients that wait for it", async () => {
    const { openFiles, waiting } = slowDisk("shuffle_7_");
    const service = await testService({ openFiles });
    const executor = testExecutor(service.root);
    const client = await service.connect();
    await client.rpc(executor.registration);
    executor.writeBlocks(7, 0n, ["slow"]);
    executor.writeBlocks(1, 0n, ["fast"]);
    const slow = await Promise.all(Array.from({ length: 20 }, () => service.connect()));
    const fetched = slow.map((one) => one.fetch(testFetch(executor.key, 7, [[0n, [0]]])));
    await expect.poll(() => waiting.length).toBeGreaterThan(0);
    for (let round = 0; round < 50; round += 1)
      expect((await client.fetch(testFetch(executor.key, 1, [[0n, [0]]]))).toString()).toBe("fast");
    const releasing = setInterval(() => waiting.splice(0).forEach((release) => void release()), 1);
    try {
      expect((await Promise.all(fetched)).map(String)).toEqual(Array.from({ length: 20 }, () => "slow"));
    } finally {
      clearInterval(releasing);
    }
  });

  test("leaves no open file when the client has gone meanwhile", async () => {
    const { openFiles, waiting } = slowDisk("shuffle_7_0_0.data");
    const service = await testService({ openFiles, limits: { maxUnusedFiles: 0 } });
    const executor = testExecutor(service.root);
    const client = await service.connect();
    await client.rpc(executor.registration);
    executor.writeBlocks(7, 0n, ["slow"]);
    const gone = await service.connect();
    const { streamId } = await gone.open(testFetch(executor.key, 7, [[0n, [0]]]));
    gone.send(testChunkRequest(streamId, 0));
    await expect.poll(() => waiting.length).toBe(1);
    gone.close();
    await gone.closed;
    for (const release of waiting.splice(0)) release();
    await expect.poll(() => openFilesBelow([service.root]).filter((path) => path.endsWith(".data"))).toEqual([]);
    await service.stop();
    await expect.poll(() => openFilesBelow([service.root])).toEqual([]);
  });
});

test("a clock that jumps ends no connection and no stream", async () => {
  const clock = testClock(0);
  const jump = { ms: 0 };
  const service = await testService({ host: { clock: { ...clock, now: () => clock.now() + jump.ms } } });
  const executor = testExecutor(service.root);
  const client = await service.connect();
  await client.rpc(executor.registration);
  executor.writeBlocks(1, 0n, ["zero", "one"]);
  const { streamId } = await client.open(testFetch(executor.key, 1, [[0n, [0, 1]]]));
  expect((await client.chunk(streamId, 0)).toString()).toBe("zero");
  for (const ms of [10 * 365 * 86_400_000, -86_400_000]) {
    jump.ms = ms;
    await clock.advance(60_000);
    expect((await client.fetch(testFetch(executor.key, 1, [[0n, [0]]]))).toString()).toBe("zero");
  }
  expect((await client.chunk(streamId, 1)).toString()).toBe("one");
});

test("an index file that is deleted after its block was sent fails the next request, and nothing else", async () => {
  const clock = testClock(0);
  const service = await testService({ host: { clock } });
  const executor = testExecutor(service.root);
  const client = await service.connect();
  await client.rpc(executor.registration);
  for (const mapId of [0n, 1n]) executor.writeBlocks(1, mapId, [`map ${mapId}`]);
  const request = (mapId: bigint) => testFetch(executor.key, 1, [[mapId, [0]]]);
  expect((await client.fetch(request(0n))).toString()).toBe("map 0");
  rmSync(executor.pathOf("shuffle_1_0_0.index"));
  rmSync(executor.pathOf("shuffle_1_0_0.data"));
  // What was just checked may be served without reading the disk again.
  await clock.advance(60_000);
  await expect(client.fetch(request(0n))).rejects.toThrow("Failed to open file");
  expect((await client.fetch(request(1n))).toString()).toBe("map 1");
  const openFiles = () => openFilesBelow(executor.localDirs).filter((path) => path.includes("shuffle_1_0_0"));
  // The file is closed in another thread.
  await expect.poll(openFiles).toEqual([]);
});
