/** @module-tag long */

import { existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { describe, expect, test } from "vitest";
import { int32, int64, string, strings, uint8 } from "./protocol/byte-writer.ts";
import { testFetch, testFrame, testNames, testRegistration } from "./protocol/test-requests.ts";
import { transferTypes } from "./protocol/transfer-messages.ts";
import { frameTypes } from "./protocol/transport-messages.ts";
import { startChecksum } from "./server/checksums.ts";
import { testExecutor, testService } from "./test-service.ts";

async function registered() {
  const service = await testService();
  const executor = testExecutor(service.root);
  const client = await service.connect();
  await client.rpc(executor.registration);
  return { service, executor, client };
}

describe("a registration", () => {
  test("has a response without content, also a second time", async () => {
    const { executor, client } = await registered();
    expect(await client.rpc(executor.registration)).toHaveLength(0);
  });

  test.each([
    ["a directory outside of the roots", ["/etc"], "is not under any of the service's local directories: /etc"],
    ["a way out by ..", ["ROOT/../../etc"], "is not under any of the service's local directories"],
    ["a directory second the root with its name as prefix", ["ROOT-evil"], "is not under any of the service's"],
    ["a link out of the roots", ["ROOT/link"], "is not under any of the service's local directories"],
    ["a link in the middle", ["ROOT/link/x/y"], "is not under any of the service's local directories"],
    ["a link in a circle", ["ROOT/circle/x"], "could not be canonicalized"],
    [".. after a missing directory", ["ROOT/missing/../../etc"], "is not under any of the service's local directories"],
    [".. after a link", ["ROOT/link/../etc"], "is not under any of the service's local directories"],
    ["a relative path", ["work"], "is not under any of the service's local directories"],
    ["a path with NUL", ["ROOT/\0"], "could not be canonicalized"],
    ["an empty path", ["ROOT/a", ""], "localDirs entries must be non-null and non-empty"],
    ["no directories", [], "localDirs must have 1 to 1000 entries"],
  ])("of %s is rejected", async (_name, directories, message) => {
    const { service, client } = await registered();
    symlinkSync("/etc", join(service.root, "link"));
    symlinkSync("circle", join(service.root, "circle"));
    const localDirs = directories.map((directory) => directory.replace("ROOT", service.root));
    const info = { localDirs, subDirsPerLocalDir: 64, shuffleManager: "" };
    const registration = client.rpc(testRegistration("app-1", "2", info));
    await expect(registration).rejects.toThrow(/^java.lang.IllegalArgumentException: /);
    await expect(registration).rejects.toThrow(message);
    await expect(client.fetch(testFetch(["app-1", "2"], 1, [[0n, [0]]]))).rejects.toThrow("Executor is not registered");
  });

  test.each([0, -1, 65_537])("with %i subdirectories is rejected", async (subDirsPerLocalDir) => {
    const { executor, client } = await registered();
    const info = { localDirs: executor.localDirs, subDirsPerLocalDir, shuffleManager: "" };
    await expect(client.rpc(testRegistration("app-1", "1", info))).rejects.toThrow("subDirsPerLocalDir must be");
  });

  test("of directories of another application, of their parents and of what is below is rejected", async () => {
    const { service, executor, client } = await registered();
    const [first = ""] = executor.localDirs;
    for (const directory of [first, join(first, "00"), join(first, ".."), service.root]) {
      const info = { localDirs: [directory], subDirsPerLocalDir: 64, shuffleManager: "" };
      await expect(client.rpc(testRegistration("app-2", "1", info))).rejects.toThrow("belongs to another application");
    }
    const second = testExecutor(service.root, "app-2", "1");
    expect(await client.rpc(second.registration)).toHaveLength(0);
  });

  test("of a directory that does not exist yet is accepted", async () => {
    const { service, client } = await registered();
    for (const directory of ["later/blockmgr", "later/../x", "./later//../later/y/."]) {
      const info = { localDirs: [`${service.root}/${directory}`], subDirsPerLocalDir: 64, shuffleManager: "" };
      expect(await client.rpc(testRegistration("app-3", directory, info))).toHaveLength(0);
    }
  });
});

test("an executor cannot read files outside of its directories by links", async () => {
  const { service, executor, client } = await registered();
  const other = testExecutor(service.root, "app-2", "1");
  other.writeBlocks(1, 0n, ["secret of another application"]);
  executor.writeFile("rdd_1_1", "own");
  for (const name of ["shuffle_1_0_0.data", "shuffle_1_0_0.index", "rdd_9_9"]) {
    // Creates the directory.
    executor.writeFile(name, "");
    rmSync(executor.pathOf(name));
    symlinkSync(other.pathOf(name === "rdd_9_9" ? "shuffle_1_0_0.data" : name), executor.pathOf(name));
  }
  await expect(client.fetch(testFetch(executor.key, 1, [[0n, [0]]]))).rejects.toThrow("Failed to open file");
  const open = testNames(transferTypes.openBlocks, executor.key, ["rdd_9_9"]);
  await expect(client.fetch(open)).rejects.toThrow("Chunk was not found");
});

describe("removal", () => {
  test("counts the removed files, and removes checksums without counting them", async () => {
    const { executor, client } = await registered();
    executor.writeBlocks(6, 0n, ["x", "y"]);
    executor.writeBlocks(6, 1n, ["x", "y"]);
    for (const name of ["shuffle_6_0_0.checksum.ADLER32", "shuffle_6_1_0.checksum.CRC32C", "rdd_3_5"]) {
      executor.writeFile(name, "x");
    }
    const remove = async (...names: readonly string[]) => {
      const response = await client.rpc(testNames(transferTypes.removeBlocks, executor.key, names));
      return [response[0], response.readInt32BE(1)];
    };
    expect(
      await remove("shuffle_6_0_0.data", "shuffle_6_0_0.index", "shuffle_6_0_0.checksum.ADLER32", "rdd_3_5"),
    ).toEqual([8, 4]);
    expect(await remove("shuffle_6_1_0.data", "shuffle_6_1_0.index", "rdd_77_77")).toEqual([8, 2]);
    expect(existsSync(executor.pathOf("shuffle_6_1_0.checksum.CRC32C"))).toBe(false);
    expect(await remove("shuffle_6_1_0.data")).toEqual([8, 0]);
    await expect(client.fetch(testFetch(executor.key, 6, [[0n, [0]]]))).rejects.toThrow("Failed to open file");
  });

  test("does not leave the directories of the executor", async () => {
    const { service, executor, client } = await registered();
    const victim = join(service.root, "victim");
    writeFileSync(victim, "x");
    const names = ["../../../victim", victim, `../../../../../../../..${victim}`, "..", ".", "", "a\0b", "a\\b"];
    const response = await client.rpc(testNames(transferTypes.removeBlocks, executor.key, names));
    expect(response.readInt32BE(1)).toBe(0);
    expect(readFileSync(victim, "utf8")).toBe("x");
  });

  test("of an unknown executor fails", async () => {
    const { client } = await registered();
    const removal = client.rpc(testNames(transferTypes.removeBlocks, ["app-1", "404"], ["rdd_1_1"]));
    await expect(removal).rejects.toThrow("Executor is not registered (appId=app-1, execId=404)");
  });
});

describe("local directories", () => {
  const request = (appId: string, execIds: readonly string[]) =>
    Buffer.concat([uint8(10), string(appId), strings(execIds)]);

  test("of executors are returned as registered", async () => {
    const { service, executor, client } = await registered();
    const second = testExecutor(service.root, "app-1", "2", 1);
    await client.rpc(second.registration);
    const expected = Buffer.concat([
      ...[uint8(11), strings(["2", "1"]), int32(2), int32(1), int32(2)],
      strings([...second.localDirs, ...executor.localDirs]),
    ]);
    expect(await client.rpc(request("app-1", ["2", "1"]))).toEqual(expected);
  });

  test("of an unknown executor fail", async () => {
    const { client } = await registered();
    await expect(client.rpc(request("app-1", ["1", "404"]))).rejects.toThrow("(appId=app-1, execId=404)");
  });
});

describe("checksums", () => {
  test.each([
    ["ADLER32", "Wikipedia", 0x11e6_0398],
    ["CRC32", "123456789", 0xcbf4_3926],
    ["CRC32C", "123456789", 0xe306_9283],
    ["ADLER32", "", 1],
    ["CRC32C", "", 0],
  ] as const)("%s of %j", (algorithm, text, value) => {
    const checksum = startChecksum(algorithm);
    for (const byte of Buffer.from(text)) checksum.update(Buffer.from([byte]));
    expect(checksum.value()).toBe(value);
  });

  test("ADLER32 of many large bytes does not overflow", () => {
    const checksum = startChecksum("ADLER32");
    checksum.update(Buffer.alloc(1_000_000, 0xff));
    expect(checksum.value()).toBe(0x3843e1be);
  });

  const diagnose = (key: readonly [string, string], value: number, algorithm: string, reduceId = 1) =>
    Buffer.concat([
      ...[uint8(16), string(key[0]), string(key[1]), int32(1), int64(0n), int32(reduceId), int64(BigInt(value))],
      string(algorithm),
    ]);

  test("show the cause of a corruption", async () => {
    const { executor, client } = await registered();
    const block = "block ".repeat(50_000);
    executor.writeBlocks(1, 0n, ["zero", block]);
    const right = crc32(block);
    const sums = Buffer.concat([int64(BigInt(crc32("zero"))), int64(BigInt(right))]);
    executor.writeFile("shuffle_1_0_0.checksum.CRC32", sums);
    const causeOf = async (...args: Parameters<typeof diagnose>) => [...(await client.rpc(diagnose(...args)))];
    expect(await causeOf(executor.key, right, "CRC32")).toEqual([17, 3]);
    expect(await causeOf(executor.key, 1, "CRC32")).toEqual([17, 1]);
    expect(await causeOf(executor.key, right, "ADLER32")).toEqual([17, 2]);
    expect(await causeOf(executor.key, right, "CRC32", 2)).toEqual([17, 2]);
    expect(await causeOf(executor.key, right, "CRC32", -1)).toEqual([17, 2]);
    expect(await causeOf(executor.key, right, "../../x")).toEqual([17, 4]);
    executor.writeFile("shuffle_1_0_0.data", `zero${block.toUpperCase()}`);
    expect(await causeOf(executor.key, right, "CRC32")).toEqual([17, 0]);
    await expect(client.rpc(diagnose(["app-1", "404"], 1, "CRC32"))).rejects.toThrow("Executor is not registered");
  });
});

describe("requests of push-based shuffle", () => {
  test.each([12, 13, 15])("of type %i are rejected", async (type) => {
    const { client } = await registered();
    const text = "java.lang.UnsupportedOperationException: Cannot handle shuffle block merge";
    await expect(client.rpc(Buffer.concat([uint8(type), string("app-1")]))).rejects.toThrow(text);
  });

  test("for the removal of merged data are rejected", async () => {
    const { client } = await registered();
    const text = "java.lang.UnsupportedOperationException: Cannot handle merged shuffle remove";
    await expect(client.rpc(Buffer.concat([uint8(19), string("app-1")]))).rejects.toThrow(text);
  });

  test("for merged metadata are rejected", async () => {
    const { client } = await registered();
    const failure = new Promise<Buffer>((resolve) => client.socket.once("data", resolve));
    client.send(testFrame(frameTypes.mergedBlockMetaRequest, int64(7n), string("app-1"), int32(0), int32(0), int32(0)));
    expect((await failure).toString()).toContain("Cannot handle shuffle block merge");
  });

  test("for uploads are rejected, and their body is not read as frames", async () => {
    const { client } = await registered();
    const received: Buffer[] = [];
    client.socket.on("data", (piece: Buffer) => received.push(piece));
    const body = testFrame(frameTypes.rpcRequest, int64(1n), int32(0));
    client.send(
      Buffer.concat([testFrame(frameTypes.uploadStream, int64(7n), int32(0), int64(BigInt(body.length))), body]),
    );
    await client.closed;
    const response = Buffer.concat(received);
    expect(response.toString()).toContain("Cannot handle uploaded streams");
    expect(response.readBigInt64BE()).toBe(BigInt(response.length));
  });
});

test("failures do not repeat all of what the client sent", async () => {
  const { client } = await registered();
  const long = "x".repeat(1_000_000);
  for (const request of [
    testNames(transferTypes.openBlocks, ["app-1", "1"], [long]),
    testNames(transferTypes.removeBlocks, [long, "1"], []),
    Buffer.concat([uint8(10), string(long), int32(0)]),
  ]) {
    const failure = await client.rpc(request).then(String, String);
    expect(failure.length).toBeLessThan(5000);
  }
  await expect(client.stream("x".repeat(1000))).rejects.toThrow("was not found");
  await expect(client.stream(long)).rejects.toThrow("closed");
});

test("many names of files that do not exist do not stop other requests", async () => {
  const { service, executor, client } = await registered();
  const names = Array.from({ length: 20_000 }, (_, index) => `rdd_1_${index}`);
  const removal = client.rpc(testNames(transferTypes.removeBlocks, executor.key, names));
  let isRemoved = false;
  void removal.then(() => {
    isRemoved = true;
  });
  const other = await service.connect();
  await other.rpc(executor.registration);
  expect(isRemoved).toBe(false);
  expect((await removal).readInt32BE(1)).toBe(0);
});

test("malformed and unknown RPCs fail, and the connection stays open", async () => {
  const { executor, client } = await registered();
  executor.writeBlocks(1, 0n, ["zero"]);
  const bodies = [
    Buffer.alloc(0),
    Buffer.from([99, 1]),
    Buffer.from([9, 0, 0, 0, 50, 97]),
    Buffer.from([9, 0x7f, 255, 255, 255]),
  ];
  for (const body of bodies) await expect(client.rpc(body)).rejects.toThrow("java.lang.IllegalArgumentException: ");
  const names = testNames(transferTypes.openBlocks, executor.key, ["shuffle_1_0_0", "rdd_1_1"]);
  await expect(client.rpc(names)).rejects.toThrow("Unexpected shuffle block id format: rdd_1_1");
  // It has no response.
  client.send(
    testFrame(frameTypes.onewayMessage, int32(0), testNames(transferTypes.removeBlocks, executor.key, ["rdd_1_1"])),
  );
  expect((await client.fetch(testFetch(executor.key, 1, [[0n, [0]]]))).toString()).toBe("zero");
});
