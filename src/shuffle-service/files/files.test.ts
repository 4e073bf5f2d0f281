import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { MalformedMessage } from "../protocol/malformed-message.ts";
import { testFetch } from "../protocol/test-requests.ts";
import { decodeTransferRequest } from "../protocol/transfer-messages.ts";
import { type BlockList, listNamedBlocks, listShuffleBlocks } from "./block-list.ts";
import { blockPathOf, checksumFilesOf, isFileName, nonNegativeHash } from "./layout.ts";
import { parseShuffleIndex } from "./shuffle-index.ts";

describe("places of files", () => {
  test.each([
    ["", 0],
    ["a", 97],
    ["shuffle_0_0_0.data", 581_811_660],
    ["polygenelubricants", 0],
    ["é€😀", 16_752_006],
  ])("the hash of %j is that of Java", (text, hash) => {
    expect(nonNegativeHash(text)).toBe(hash);
  });

  test("directories and subdirectories follow from the hash", () => {
    const localDirs = ["/a", "/b", "/c"];
    expect(blockPathOf("a", { localDirs, subDirsPerLocalDir: 64 })).toEqual({ localDir: 1, subDir: "20", name: "a" });
    expect(blockPathOf("polygenelubricants", { localDirs, subDirsPerLocalDir: 64 })).toMatchObject({ subDir: "00" });
    expect(blockPathOf("shuffle_0_0_0.data", { localDirs: ["/a"], subDirsPerLocalDir: 10_000 }).subDir).toBe("67c");
  });

  test("only names of files in a directory can be removed", () => {
    const names = ["", ".", "..", "../x", "/x", "a/b", "a\\b", "a\0b"];
    expect(names.filter(isFileName)).toEqual([]);
    expect(["rdd_1_2", "shuffle_1_2_0.data", "..."].filter(isFileName)).toHaveLength(3);
    expect(checksumFilesOf("shuffle_1_2_0.data")).toContain("shuffle_1_2_0.checksum.CRC32C");
    expect([...checksumFilesOf("shuffle_1_2_0.index"), ...checksumFilesOf("shuffle_../_2_0.data")]).toEqual([]);
  });
});

const refsOf = (list: BlockList) => Array.from({ length: list.length }, (_, chunk) => list.at(chunk));

describe("blocks of a request", () => {
  const fetch = (...args: Parameters<typeof testFetch>) => {
    const request = decodeTransferRequest(testFetch(...args));
    if (request.kind !== "fetchShuffleBlocks") throw new Error(request.kind);
    return listShuffleBlocks(request);
  };
  const executor = ["app", "1"] as const;

  test("are in the order of the message, in any order of access", () => {
    const maps = fc.array(fc.tuple(fc.bigInt({ min: 0n, max: 2n ** 40n }), fc.array(fc.nat(1000), { maxLength: 5 })));
    fc.assert(
      fc.property(maps, fc.array(fc.nat(), { maxLength: 20 }), (blocks, order) => {
        const list = fetch(executor, 3, blocks);
        const expected = blocks.flatMap(([mapId, reduceIds]) =>
          reduceIds.map((id) => ({ kind: "shuffle", shuffleId: 3, mapId, startReduceId: id, endReduceId: id + 1 })),
        );
        expect(refsOf(list)).toEqual(expected);
        for (const chunk of order)
          if (expected.length > 0) expect(list.at(chunk % expected.length)).toEqual(expected[chunk % expected.length]);
      }),
    );
  });

  test("of a batch are ranges", () => {
    const ranges = refsOf(
      fetch(
        executor,
        3,
        [
          [5n, [0, 4]],
          [6n, [2, 3]],
        ],
        true,
      ),
    );
    expect(ranges).toMatchObject([
      { mapId: 5n, startReduceId: 0, endReduceId: 4 },
      { mapId: 6n, startReduceId: 2, endReduceId: 3 },
    ]);
  });

  test("by names are parsed", () => {
    expect(refsOf(listNamedBlocks(["shuffle_1_4_1", "shuffle_1_5_0"]))).toEqual([
      { kind: "shuffle", shuffleId: 1, mapId: 4n, startReduceId: 1, endReduceId: 2 },
      { kind: "shuffle", shuffleId: 1, mapId: 5n, startReduceId: 0, endReduceId: 1 },
    ]);
    expect(refsOf(listNamedBlocks(["rdd_3_5"]))).toEqual([{ kind: "rdd", rddId: 3, partition: 5 }]);
  });

  test.each([
    [[], "Unexpected block id format: "],
    [["broadcast_1"], "Unexpected block id format: broadcast_1"],
    [["shuffleChunk_1_2_3_4"], "Unexpected block id format: shuffleChunk_1_2_3_4"],
    [["shuffle_1_2_3", "rdd_1_2"], "Unexpected shuffle block id format: rdd_1_2"],
    [["shuffle_1_2_3", "shuffle_2_2_3"], "Expected shuffleId=1, got:shuffle_2_2_3"],
    [["rdd_1_2", "shuffle_1_2_3"], "Unexpected RDD block id format: shuffle_1_2_3"],
    [["shuffle_1_../_3"], "Unexpected block id format: shuffle_1_../_3"],
    [["rdd_1_99999999999"], "Unexpected block id format: rdd_1_99999999999"],
  ])("%j are rejected", (names, message) => {
    expect(() => listNamedBlocks(names)).toThrow(new MalformedMessage(message));
  });
});

describe("an index file", () => {
  const indexOf = (...offsets: readonly bigint[]) => {
    const bytes = Buffer.alloc(offsets.length * 8);
    for (const [index, offset] of offsets.entries()) bytes.writeBigInt64BE(offset, index * 8);
    return bytes;
  };

  test("has offsets", () => {
    const index = parseShuffleIndex(indexOf(0n, 100n, 100n, 5_000_000_000n));
    if (typeof index === "string") throw new Error(index);
    expect([index.blocks, index.dataBytes, index.sizeBytes]).toEqual([3, 5_000_000_000, 32]);
    expect([0, 1, 2, 3].map(index.offset)).toEqual([0, 100, 100, 5_000_000_000]);
  });

  test.each([
    ["no bytes", Buffer.alloc(0), "it has 0 bytes"],
    ["half an offset", Buffer.alloc(20), "it has 20 bytes"],
    ["another first offset", indexOf(1n, 2n), "its first offset is not 0"],
    ["decreasing offsets", indexOf(0n, 5n, 4n), "its offsets decrease"],
    ["a negative offset", indexOf(0n, -1n), "its offsets decrease"],
    ["an offset beyond what a file can have", indexOf(0n, 2n ** 62n), "its offsets decrease"],
  ])("with %s is rejected", (_name, bytes, reason) => {
    expect(parseShuffleIndex(bytes)).toBe(reason);
  });
});
