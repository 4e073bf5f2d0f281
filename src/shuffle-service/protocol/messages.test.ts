import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { int32, int32s, int64, string, strings, uint8 } from "./byte-writer.ts";
import { MalformedMessage } from "./malformed-message.ts";
import { testChunkRequest, testFetch, testFrame, testNames, testRegistration, testRpc } from "./test-requests.ts";
import {
  blocksRemoved,
  corruptionCause,
  decodeTransferRequest,
  localDirsForExecutors,
  streamHandle,
  transferTypes,
} from "./transfer-messages.ts";
import {
  chunkFetchFailure,
  chunkFetchHeader,
  decodeRequest,
  frameTypes,
  rpcFailure,
  rpcResponse,
  streamFailure,
  streamResponse,
} from "./transport-messages.ts";

const contentOf = (frame: Buffer) => frame.subarray(8);
const int64s = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const int32Values = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 });
const text = fc.string({ unit: "grapheme", maxLength: 40 });

describe("requests", () => {
  test("chunk requests and RPCs are decoded", () => {
    fc.assert(
      fc.property(int64s, int32Values, fc.uint8Array(), (id, index, bytes) => {
        expect(decodeRequest(contentOf(testChunkRequest(id, index)))).toEqual({
          ...{ kind: "chunkFetch", streamId: id, chunkIndex: index },
        });
        const body = Buffer.from(bytes);
        expect(decodeRequest(contentOf(testRpc(id, body)))).toEqual({ kind: "rpc", requestId: id, body });
      }),
    );
  });

  test("the length of an RPC's body is ignored", () => {
    const frame = testFrame(frameTypes.rpcRequest, int64(1n), int32(999), Buffer.from("body"));
    expect(decodeRequest(contentOf(frame))).toEqual({ kind: "rpc", requestId: 1n, body: Buffer.from("body") });
  });

  test("the other types are decoded", () => {
    const decode = (type: number, ...parts: readonly Buffer[]) => decodeRequest(contentOf(testFrame(type, ...parts)));
    expect(decode(frameTypes.streamRequest, string("5_0"))).toEqual({ kind: "stream", streamId: "5_0" });
    expect(decode(frameTypes.onewayMessage, int32(0))).toEqual({ kind: "oneway" });
    expect(decode(frameTypes.uploadStream, int64(7n), int32(0), int64(9n))).toEqual({
      ...{ kind: "uploadStream", requestId: 7n },
    });
    const meta = decode(frameTypes.mergedBlockMetaRequest, int64(8n), string("app"), int32(0), int32(0), int32(0));
    expect(meta).toEqual({ kind: "mergedBlockMeta", requestId: 8n, appId: "app" });
  });

  test.each([
    [77, "Unknown message type: 77"],
    [255, "Unknown message type: -1"],
    [frameTypes.rpcResponse, "Unexpected response of type 4"],
  ])("type %i is rejected", (type, message) => {
    expect(() => decodeRequest(contentOf(testFrame(type)))).toThrow(message);
  });

  test("any bytes are decoded or rejected as malformed", { tags: "long" }, () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        for (const decode of [decodeRequest, decodeTransferRequest]) {
          try {
            decode(Buffer.from(bytes));
          } catch (error) {
            expect(error).toBeInstanceOf(MalformedMessage);
          }
        }
      }),
      { numRuns: 5000 },
    );
  });
});

describe("responses", () => {
  test("have the length of the frame, the type and their fields", () => {
    expect(rpcResponse(42n, Buffer.from("ab"))).toEqual(testFrame(4, int64(42n), int32(2), Buffer.from("ab")));
    expect(rpcFailure(-1n, "é")).toEqual(testFrame(5, int64(-1n), string("é")));
    expect(chunkFetchFailure(3n, 4, "x")).toEqual(testFrame(2, int64(3n), int32(4), string("x")));
    expect(streamFailure("3_4", "x")).toEqual(testFrame(8, string("3_4"), string("x")));
  });

  test("announce content that follows", () => {
    expect(chunkFetchHeader(3n, 4, 100)).toEqual(Buffer.concat([int64(121n), uint8(1), int64(3n), int32(4)]));
    expect(chunkFetchHeader(3n, 4, 5 * 2 ** 30).readBigInt64BE()).toBe(21n + 5n * 2n ** 30n);
    expect(streamResponse("3_4", 2 ** 33)).toEqual(testFrame(7, string("3_4"), int64(2n ** 33n)));
  });

  test("of the block transfer have their type and fields", () => {
    expect(streamHandle(5n, 6)).toEqual(Buffer.concat([uint8(3), int64(5n), int32(6)]));
    expect(blocksRemoved(2)).toEqual(Buffer.concat([uint8(8), int32(2)]));
    expect(corruptionCause("checksumVerifyPass")).toEqual(Buffer.from([17, 3]));
    const dirs = new Map([
      ["1", ["/a", "/b"]],
      ["2", ["/c"]],
    ]);
    expect(localDirsForExecutors(dirs)).toEqual(
      Buffer.concat([uint8(11), strings(["1", "2"]), int32s([2, 1]), strings(["/a", "/b", "/c"])]),
    );
  });
});

describe("messages in RPCs", () => {
  const executor = ["app-1", "7"] as const;

  test("registrations are decoded", () => {
    fc.assert(
      fc.property(text, text, fc.array(text, { maxLength: 5 }), int32Values, (appId, execId, localDirs, subDirs) => {
        const info = { localDirs, subDirsPerLocalDir: subDirs, shuffleManager: "sort" };
        const found = decodeTransferRequest(testRegistration(appId, execId, info));
        expect(found).toEqual({ kind: "registerExecutor", appId, execId, ...info });
      }),
    );
  });

  test("requests for shuffle blocks are decoded", () => {
    const maps = fc.array(fc.tuple(int64s, fc.array(int32Values, { maxLength: 6 })), { maxLength: 20 });
    fc.assert(
      fc.property(maps, int32Values, (blocks, shuffleId) => {
        const found = decodeTransferRequest(testFetch(executor, shuffleId, blocks));
        if (found.kind !== "fetchShuffleBlocks") throw new Error(found.kind);
        expect(found).toMatchObject({ appId: "app-1", execId: "7", shuffleId, isBatch: false });
        expect([...found.mapIds]).toEqual(blocks.map(([mapId]) => mapId));
        const { values, ends } = found.reduceIds;
        const lists = [...ends].map((end, index) => [...values.subarray(index === 0 ? 0 : ends[index - 1], end)]);
        expect(lists).toEqual(blocks.map(([, reduceIds]) => reduceIds));
      }),
    );
  });

  test("bytes after a message are ignored", () => {
    const body = Buffer.concat([testNames(transferTypes.removeBlocks, executor, ["rdd_1_2"]), Buffer.from("more")]);
    const expected = { kind: "removeBlocks", appId: "app-1", execId: "7", names: ["rdd_1_2"] };
    expect(decodeTransferRequest(body)).toEqual(expected);
  });

  test("the messages of push-based shuffle are recognized", () => {
    for (const type of [12, 13, 15]) {
      expect(decodeTransferRequest(Buffer.concat([uint8(type), string("app")]))).toEqual({
        kind: "merge",
        appId: "app",
      });
    }
    expect(decodeTransferRequest(Buffer.concat([uint8(19), string("app")]))).toEqual({
      kind: "removeMerge",
      appId: "app",
    });
  });

  test("a message cut at any byte is rejected", () => {
    const complete = testFetch(executor, 1, [[5n, [1, 2]]], false);
    for (let end = 0; end < complete.length; end += 1) {
      expect(() => decodeTransferRequest(complete.subarray(0, end))).toThrow(MalformedMessage);
    }
  });

  test.each([
    ["a string of 2 GiB", [uint8(9), int32(0x7fff_ffff)]],
    ["a string of negative length", [uint8(9), int32(-1)]],
    ["2,147,483,647 names", [uint8(7), string("a"), string("1"), int32(0x7fff_ffff)]],
    ["lists with more values than bytes", [uint8(9), string("a"), string("1"), int32(0), int32(0), int32(1), int32(9)]],
    [
      "more than a million empty names",
      [uint8(7), string("a"), string("1"), int32(1_000_001), Buffer.alloc(4_000_004)],
    ],
    ["an unknown type", [uint8(99), Buffer.from([1, 2, 3])]],
    ["nothing", []],
  ])("%s is rejected", (_name, parts) => {
    expect(() => decodeTransferRequest(Buffer.concat(parts))).toThrow(MalformedMessage);
  });

  test("a batch must have ranges, and each map a list", () => {
    expect(() => decodeTransferRequest(testFetch(executor, 1, [[1n, [1, 2, 3]]], true))).toThrow("A range of a batch");
    expect(() =>
      decodeTransferRequest(
        testFetch(
          executor,
          1,
          [
            [1n, [1]],
            [2n, [1, 2, 3]],
          ],
          true,
        ),
      ),
    ).toThrow("A range");
    const uneven = Buffer.concat([
      uint8(9),
      string("a"),
      string("1"),
      int32(0),
      int32(0),
      int32(1),
      int32s([]),
      uint8(0),
    ]);
    expect(() => decodeTransferRequest(uneven)).toThrow("0 map IDs, but 1 lists");
  });
});
