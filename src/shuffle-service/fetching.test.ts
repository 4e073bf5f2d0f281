/** @module-tag long */

import { rmSync, truncateSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { testFetch, testNames } from "./protocol/test-requests.ts";
import { transferTypes } from "./protocol/transfer-messages.ts";
import { testExecutor, testService } from "./test-service.ts";

/** Starts a service with a registered executor, which has map output 0 of shuffle 1. */
async function registered(settings: Parameters<typeof testService>[0] = {}) {
  const service = await testService(settings);
  const executor = testExecutor(service.root);
  const client = await service.connect();
  await client.rpc(executor.registration);
  executor.writeBlocks(1, 0n, blocks);
  return { service, executor, client };
}

const blocks = ["zero", "one", "", "three".repeat(10_000)];
/** Larger than a buffer of the service. */
const large = Buffer.alloc(1_000_000, "0123456789abcdef");

const texts = (contents: readonly Buffer[]) => contents.map((content) => content.toString());

describe("fetches", () => {
  test("single blocks in the order of the request", async () => {
    const { executor, client } = await registered();
    executor.writeBlocks(1, 2n ** 40n, ["a", "b"]);
    const order = [3, 1, 0, 2];
    const request = testFetch(executor.key, 1, [
      [0n, order],
      [2n ** 40n, [1, 0]],
      [0n, [1]],
    ]);
    expect(texts(await client.fetch(request))).toEqual([...order.map((id) => blocks[id]), "b", "a", "one"]);
  });

  test("ranges of a batch", async () => {
    const { executor, client } = await registered();
    const fetch = (ranges: Parameters<typeof testFetch>[2]) => client.fetch(testFetch(executor.key, 1, ranges, true));
    expect(
      texts(
        await fetch([
          [0n, [0, 3]],
          [0n, [2, 2]],
          [0n, [0, 4]],
        ]),
      ),
    ).toEqual(["zeroone", "", blocks.join("")]);
  });

  test("blocks by name, also cached ones", async () => {
    const { executor, client } = await registered();
    executor.writeFile("rdd_3_5", "cached");
    executor.writeFile("rdd_3_6", large);
    const open = (names: readonly string[]) => client.fetch(testNames(transferTypes.openBlocks, executor.key, names));
    expect(texts(await open(["shuffle_1_0_1", "shuffle_1_0_0"]))).toEqual(["one", "zero"]);
    const cached = await open(["rdd_3_5", "rdd_3_6", "rdd_3_5"]);
    expect(cached.map(({ length }) => length)).toEqual([6, large.length, 6]);
    expect(cached[1]?.equals(large)).toBe(true);
    await expect(open(["rdd_3_7"])).rejects.toThrow("java.lang.IllegalStateException: Chunk was not found");
  });

  test("chunks and streams that are smaller and larger than a buffer, on one connection", async () => {
    const { executor, client } = await registered();
    executor.writeBlocks(2, 0n, ["small", large, "", large, "last"]);
    const { streamId } = await client.open(testFetch(executor.key, 2, [[0n, [0, 1, 2, 3, 4]]]));
    const found = await Promise.all([
      client.chunk(streamId, 0),
      client.stream(`${streamId}_1`),
      client.stream(`${streamId}_2`),
      client.chunk(streamId, 3),
      client.stream(`${streamId}_4`),
    ]);
    expect(found.map(({ length }) => length)).toEqual([5, large.length, 0, large.length, 4]);
    expect(found[1]?.equals(large) && found[3]?.equals(large)).toBe(true);
  });

  test("many blocks of many files", async () => {
    const { executor, client } = await registered();
    const maps = Array.from({ length: 50 }, (_, map) => BigInt(map));
    const content = (map: bigint, reduce: number) =>
      `${map}/${reduce} `.repeat((Number(map) * 37 + reduce * 101) % 300);
    for (const map of maps) {
      const contents = Array.from({ length: 20 }, (_, reduce) => content(map, reduce));
      executor.writeBlocks(3, map, contents);
    }
    const ids = Array.from({ length: 20 }, (_, reduce) => reduce);
    const found = await client.fetch(
      testFetch(
        executor.key,
        3,
        maps.map((map) => [map, ids]),
      ),
    );
    expect(texts(found)).toEqual(maps.flatMap((map) => ids.map((reduce) => content(map, reduce))));
  });

  test("a replaced map output as it is now", async () => {
    const { executor, client } = await registered();
    const request = testFetch(executor.key, 1, [[0n, [1, 0]]]);
    expect(texts(await client.fetch(request))).toEqual(["one", "zero"]);
    rmSync(executor.pathOf("shuffle_1_0_0.data"));
    rmSync(executor.pathOf("shuffle_1_0_0.index"));
    executor.writeBlocks(1, 0n, ["a new block", "and another one"]);
    expect(texts(await client.fetch(request))).toEqual(["and another one", "a new block"]);
  });

  test("empty blocks without a data file", async () => {
    const { executor, client } = await registered();
    executor.writeBlocks(4, 0n, ["", ""]);
    rmSync(executor.pathOf("shuffle_4_0_0.data"));
    expect(texts(await client.fetch(testFetch(executor.key, 4, [[0n, [0, 1]]])))).toEqual(["", ""]);
  });

  test("by more clients than there are buffers", async () => {
    const { service, executor } = await registered({ limits: { bufferBytes: 512 * 1024 } });
    executor.writeBlocks(2, 0n, [large]);
    const request = testFetch(executor.key, 2, [[0n, [0]]]);
    const fetchAll = async () => (await (await service.connect()).fetch(request))[0]?.equals(large);
    expect(await Promise.all(Array.from({ length: 20 }, fetchAll))).toEqual(Array.from({ length: 20 }, () => true));
  });
});

describe("a failure", () => {
  test("of a chunk keeps the earlier blocks and fails the later ones", async () => {
    const { executor, client } = await registered();
    const { streamId } = await client.open(
      testFetch(executor.key, 1, [
        [0n, [0, 1]],
        [404n, [0]],
        [0n, [3]],
      ]),
    );
    const results = await Promise.allSettled([0, 1, 2, 3].map((index) => client.chunk(streamId, index)));
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected", "rejected"]);
    await expect(client.chunk(streamId, 4)).rejects.toThrow("Unknown stream ID.");
    expect(texts(await client.fetch(testFetch(executor.key, 1, [[0n, [1]]])))).toEqual(["one"]);
  });

  test.each([
    ["an absent map output", () => {}, /^java.lang.RuntimeException: Failed to open file: .*shuffle_5_0_0.index$/],
    ["an absent data file", (e: Executor) => rmSync(e.pathOf("shuffle_5_0_0.data")), /Failed to open file: .*data/],
    ["a short data file", (e: Executor) => truncateSync(e.pathOf("shuffle_5_0_0.data"), 3), /shorter than its index/],
    [
      "an empty index",
      (e: Executor) => truncateSync(e.pathOf("shuffle_5_0_0.index"), 0),
      /^java.lang.IndexOutOfBoundsExc/,
    ],
    [
      "a truncated index",
      (e: Executor) => truncateSync(e.pathOf("shuffle_5_0_0.index"), 20),
      /^java.lang.IndexOutOfBou/,
    ],
    [
      "a damaged index",
      (e: Executor) => writeFileSync(e.pathOf("shuffle_5_0_0.index"), "x".repeat(24)),
      /IndexOutOfBou/,
    ],
  ])("of %s is reported", async (name, damage: (executor: Executor) => void, message) => {
    const { executor, client } = await registered();
    if (name !== "an absent map output") executor.writeBlocks(5, 0n, ["some", "content"]);
    damage(executor);
    await expect(client.fetch(testFetch(executor.key, 5, [[0n, [1]]]))).rejects.toThrow(message);
    expect(texts(await client.fetch(testFetch(executor.key, 1, [[0n, [1]]])))).toEqual(["one"]);
  });

  test.each([
    ["a reduce ID beyond the index", [4], false],
    ["a negative reduce ID", [-1], false],
    ["a range beyond the index", [2, 5], true],
    ["a range that ends before it starts", [3, 2], true],
  ])("of %s is reported", async (_name, reduceIds, isBatch) => {
    const { executor, client } = await registered();
    const fetched = client.fetch(testFetch(executor.key, 1, [[0n, reduceIds]], isBatch));
    await expect(fetched).rejects.toThrow(/^java.lang.IndexOutOfBoundsException: /);
  });

  test("of a large block that has become shorter is reported", async () => {
    const { executor, client } = await registered();
    executor.writeBlocks(2, 0n, [large, "next"]);
    expect(texts(await client.fetch(testFetch(executor.key, 2, [[0n, [1]]])))).toEqual(["next"]);
    truncateSync(executor.pathOf("shuffle_2_0_0.data"), 10);
    const fetched = client.fetch(testFetch(executor.key, 2, [[0n, [0]]]));
    await expect(fetched).rejects.toThrow("shorter than its index");
  });

  test("of an unknown executor or application is reported at the chunk", async () => {
    const { executor, client } = await registered();
    for (const key of [
      [executor.key[0], "404"],
      ["app-404", "1"],
    ] as const) {
      const { streamId, chunks } = await client.open(testFetch(key, 1, [[0n, [0]]]));
      expect(chunks).toBe(1);
      const text = `java.lang.RuntimeException: Executor is not registered (appId=${key[0]}, execId=${key[1]})`;
      await expect(client.chunk(streamId, 0)).rejects.toThrow(text);
    }
  });
});

type Executor = ReturnType<typeof testExecutor>;

describe("a stream", () => {
  test("ends with its last chunk", async () => {
    const { executor, client } = await registered();
    const { streamId, chunks } = await client.open(testFetch(executor.key, 1, [[0n, [0, 1]]]));
    expect([streamId >= 0n, chunks]).toEqual([true, 2]);
    await client.chunk(streamId, 0);
    await client.chunk(streamId, 1);
    await expect(client.chunk(streamId, 1)).rejects.toThrow("java.lang.IllegalArgumentException: Unknown stream ID.");
    await expect(client.stream(`${streamId}_1`)).rejects.toThrow("Unknown stream ID.");
  });

  test("has its chunks in order, and a wrong request does not advance it", async () => {
    const { executor, client } = await registered();
    const { streamId } = await client.open(testFetch(executor.key, 1, [[0n, [0, 1]]]));
    await expect(client.chunk(streamId, 1)).rejects.toThrow("Received out-of-order chunk index 1 (expected 0)");
    expect((await client.chunk(streamId, 0)).toString()).toBe("zero");
    await expect(client.chunk(streamId, 0)).rejects.toThrow("Received out-of-order chunk index 0 (expected 1)");
    expect((await client.chunk(streamId, 1)).toString()).toBe("one");
  });

  test("belongs to its connection", async () => {
    const { service, executor, client } = await registered();
    const other = await service.connect();
    const { streamId } = await client.open(testFetch(executor.key, 1, [[0n, [0]]]));
    const text = `java.lang.SecurityException: Channel not authorized to read stream ${streamId}: streams may only be read from the connection that registered them.`;
    await expect(other.chunk(streamId, 0)).rejects.toThrow(text);
    expect((await client.chunk(streamId, 0)).toString()).toBe("zero");
  });

  test.each(["", "5", "_", "5_", "-5_0", "5_0_0", "99999999999999999999_0", "x_y"])(
    "%j does not exist",
    async (streamId) => {
      const { client } = await registered();
      await expect(client.stream(streamId)).rejects.toThrow(/was not found|Unknown stream ID/);
    },
  );

  test("without blocks has no chunks", async () => {
    const { executor, client } = await registered();
    const { streamId, chunks } = await client.open(testFetch(executor.key, 1, []));
    expect(chunks).toBe(0);
    await expect(client.chunk(streamId, 0)).rejects.toThrow("Unknown stream ID.");
  });
});
