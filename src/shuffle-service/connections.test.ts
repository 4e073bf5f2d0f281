/** @module-tag long */

import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readdirSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { connect as connectTls } from "node:tls";
import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { nodeHost } from "../host/node-host.ts";
import { type TestClock, testClock } from "../host/test-clock.ts";
import { testCertificate, testKey } from "../kube-client/test-certificate.ts";
import { testHandshakes } from "./authentication/test-handshakes.ts";
import { int32, int64, string, uint8 } from "./protocol/byte-writer.ts";
import {
  testChunkRequest,
  testFetch,
  testFrame,
  testNames,
  testRegistration,
  testRpc,
} from "./protocol/test-requests.ts";
import { transferTypes } from "./protocol/transfer-messages.ts";
import { frameTypes } from "./protocol/transport-messages.ts";
import { testClient } from "./test-client.ts";
import { testExecutor, testService } from "./test-service.ts";

const large = Buffer.alloc(3_000_000, "0123456789abcdef");
/** More than the kernel takes for a client that does not read. */
const hugeBytes = 40_000_000;

/** Registers an executor with a small and a large block, by a client of a service. */
async function withBlocks(service: Awaited<ReturnType<typeof testService>>) {
  const executor = testExecutor(service.root);
  const client = await service.connect();
  await client.rpc(executor.registration);
  executor.writeBlocks(1, 0n, ["zero", large, Buffer.alloc(hugeBytes)]);
  const [small, big, huge] = [0, 1, 2].map((reduceId) => testFetch(executor.key, 1, [[0n, [reduceId]]]));
  if (small === undefined || big === undefined || huge === undefined) throw new Error("no requests");
  return { executor, client, small, big, huge };
}

/** Checks that a service serves a new client. */
async function expectAlive(service: Awaited<ReturnType<typeof testService>>, request: Buffer) {
  const client = await service.connect();
  expect((await client.fetch(request)).toString()).toBe("zero");
  client.close();
}

/** Connects a client that requests blocks and does not read them. */
async function requestWithoutReading(service: Awaited<ReturnType<typeof testService>>, request: Buffer) {
  const lazy = await service.connect();
  const { streamId } = await lazy.open(request);
  lazy.socket.pause();
  lazy.send(testChunkRequest(streamId, 0));
}

describe("hostile bytes", () => {
  test.each([
    ["a frame of 2^63 bytes", int64(2n ** 63n - 1n)],
    ["a frame of 2 GiB", int64(2n ** 31n + 8n)],
    ["a frame of negative length", int64(-5n)],
    ["an empty frame", int64(8n)],
    ["an unknown type", testFrame(77)],
    ["the reserved type", testFrame(255)],
    ["a response", testFrame(frameTypes.rpcResponse, int64(1n), int32(0))],
    ["a frame without its fields", testFrame(frameTypes.chunkFetchRequest, int32(1))],
    ["a stream with an invalid length", testFrame(frameTypes.streamRequest, int32(0x7fff_ffff))],
    ["text", Buffer.from("GET / HTTP/1.1\r\nHost: x\r\n\r\n")],
  ])("of %s close the connection", async (_name, bytes) => {
    const service = await testService();
    const { small } = await withBlocks(service);
    const client = await service.connect();
    client.send(bytes);
    await client.closed;
    expect(service.log().map(({ text }) => text)).toContain("A client sent invalid bytes.");
    await expectAlive(service, small);
  });

  test("of any kind end no other connection", async () => {
    const service = await testService();
    const { client, small } = await withBlocks(service);
    const frame = fc.oneof(
      fc.uint8Array({ maxLength: 100 }).map((bytes) => Buffer.from(bytes)),
      fc.tuple(fc.nat(20), fc.uint8Array({ maxLength: 60 })).map(([type, bytes]) => testFrame(type, bytes)),
      fc
        .tuple(fc.nat(25), fc.uint8Array({ maxLength: 60 }))
        .map(([type, bytes]) => testRpc(1n, Buffer.from([type, ...bytes]))),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(frame, { maxLength: 10 }), async (frames) => {
        const other = await service.connect();
        for (const bytes of frames) other.send(bytes);
        other.socket.end();
        await other.closed;
        expect((await client.fetch(small)).toString()).toBe("zero");
      }),
      { numRuns: 100 },
    );
    expect(service.log().filter(({ level }) => level === "ERROR")).toEqual([]);
  });
});

test("a frame can arrive in single bytes", async () => {
  const service = await testService();
  const { small } = await withBlocks(service);
  const socket = connect(service.port, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  socket.setNoDelay(true);
  for (const byte of testRpc(42n, small)) {
    socket.write(Buffer.from([byte]));
    await new Promise((resolve) => setImmediate(resolve));
  }
  const [response] = await once(socket, "data");
  expect(response.subarray(0, 21)).toEqual(Buffer.concat([int64(34n), uint8(4), int64(42n), int32(13)]));
});

describe("a client that does not read", () => {
  test("does not stop others, and costs one buffer", async () => {
    const service = await testService({ limits: { bufferBytes: 1024 * 1024 } });
    const { small, huge } = await withBlocks(service);
    await requestWithoutReading(service, huge);
    for (let index = 0; index < 20; index += 1) await expectAlive(service, small);
  });

  test("is not read from when its queue is full", async () => {
    const service = await testService();
    const { executor } = await withBlocks(service);
    const lazy = await service.connect();
    lazy.socket.pause();
    const request = testRpc(1n, testNames(transferTypes.openBlocks, executor.key, ["x".repeat(3000)]));
    // Each response has 3 kB. The service stops reading long before 64 MiB of requests.
    const flood = Buffer.concat(Array.from({ length: 64 }, () => request));
    let isBlocked = false;
    for (let round = 0; round < 400 && !isBlocked; round += 1) {
      if (lazy.socket.write(flood)) continue;
      const drained = once(lazy.socket, "drain").then(() => "drained");
      const passed = new Promise((resolve) => setTimeout(() => resolve("blocked"), 2000));
      isBlocked = (await Promise.race([drained, passed])) === "blocked";
    }
    expect(isBlocked).toBe(true);
  });

  test("loses its connection when others need its buffer", async () => {
    const clock = testClock(0);
    const service = await testService({ limits: { bufferBytes: 256 * 1024 }, host: { clock } });
    const { small, huge } = await withBlocks(service);
    await requestWithoutReading(service, huge);
    const other = await service.connect();
    const message = "A client that does not read was disconnected, because others need its memory.";
    // The kernel takes much of the huge block before the lazy client keeps the buffer for itself.
    while (!service.log().some(({ text }) => text === message)) {
      const { streamId } = await other.open(small);
      let isServed = false;
      const chunk = other.chunk(streamId, 0).finally(() => {
        isServed = true;
      });
      while (!isServed) await clock.advance(1000);
      expect((await chunk).toString()).toBe("zero");
    }
  });
});

test("clients that disconnect in mid-transfer leave no open files", async () => {
  const service = await testService({ limits: { maxUnusedFiles: 0 } });
  const { executor, small, big } = await withBlocks(service);
  for (let index = 0; index < 5; index += 1) {
    const client = await service.connect();
    const { streamId } = await client.open(big);
    client.send(testChunkRequest(streamId, 0));
    await once(client.socket, "data");
    client.socket.resetAndDestroy();
  }
  await expectAlive(service, small);
  await expect.poll(() => openFilesBelow(executor.localDirs)).toEqual([]);
});

/** Lists the open files of this process below directories. */
function openFilesBelow(directories: readonly string[]): readonly string[] {
  return readdirSync("/proc/self/fd").flatMap((descriptor) => {
    const path = nodeHost().files.readLink(`/proc/self/fd/${descriptor}`) ?? "";
    return directories.some((directory) => path.startsWith(directory)) ? [path] : [];
  });
}

describe("limits", () => {
  test("of chunks in flight close the connection", async () => {
    const service = await testService({ limits: { maxChunksInFlight: 1 } });
    const { small, huge } = await withBlocks(service);
    await requestWithoutReading(service, huge);
    const other = await service.connect();
    await expect.poll(async () => (await service.connect()).fetch(small).then(String, String)).toBe("Error: closed");
    await expect(other.fetch(small)).rejects.toThrow("closed");
  });

  test("of chunks in flight do not apply to requests that wait on one connection", async () => {
    const service = await testService({ limits: { maxChunksInFlight: 1 } });
    const { executor, client } = await withBlocks(service);
    const found = await client.fetch(testFetch(executor.key, 1, [[0n, Array.from({ length: 100 }, () => 0)]]));
    expect(found.map(String)).toEqual(Array.from({ length: 100 }, () => "zero"));
  });

  test("of connections close further ones", async () => {
    const service = await testService({ limits: { maxConnections: 2 } });
    const { client, small } = await withBlocks(service);
    const second = await service.connect();
    expect((await second.fetch(small)).toString()).toBe("zero");
    await (await service.connect()).closed;
    client.close();
    await client.closed;
    await expect.poll(async () => (await service.connect()).fetch(small).then(String, String)).toBe("zero");
  });

  test("of streams and blocks are reported", async () => {
    const service = await testService();
    const { executor, client, small } = await withBlocks(service);
    for (let index = 0; index < 10_000; index += 1) await client.open(small);
    await expect(client.open(small)).rejects.toThrow("Too many open streams");
    const ids = Array.from({ length: 500_001 }, () => 0);
    const many = testFetch(executor.key, 1, [
      [0n, ids],
      [0n, ids],
    ]);
    await expect(client.open(many)).rejects.toThrow("More than 1000000 blocks requested");
  });

  test("of the memory for requests close the connection, and its end frees the memory", async () => {
    const service = await testService({ limits: { requestBytes: 3 * 1024 * 1024 } });
    const { small } = await withBlocks(service);
    const holder = await service.connect();
    holder.send(Buffer.concat([int64(60_000_000n), Buffer.alloc(2_500_000)]));
    const greedy = await service.connect();
    const half = Buffer.concat([int64(60_000_000n), Buffer.alloc(1_500_000)]);
    greedy.send(half);
    await Promise.race([greedy.closed, holder.closed]);
    holder.close();
    greedy.close();
    await expect
      .poll(async () => {
        const next = await service.connect();
        return next.fetch(small).then(String, String);
      })
      .toBe("zero");
  });

  test("of idle time close the connection", async () => {
    const service = await testService({ limits: { connectionTimeoutMs: 50 } });
    await (await service.connect()).closed;
  });
});

describe("authentication", () => {
  const secrets = { kind: "text", secret: "correct horse" } as const;
  const settingsOf = (mode: string) => {
    const [, cipher, version] = mode.split("-");
    const aes = {
      cipher: cipher === "gcm" ? ("gcm" as const) : ("ctr" as const),
      version: version === "2" ? (2 as const) : (1 as const),
    };
    return {
      authentication: {
        ...{ secrets, acceptsSasl: true, saslAlwaysEncrypts: false, maxEncryptedBlockBytes: 65_536 },
        aes: mode.startsWith("aes") ? aes : undefined,
      },
    };
  };

  test.each(Object.keys(testHandshakes))(
    "by %s serves small and large blocks, and separates applications",
    async (mode) => {
      const service = await testService(settingsOf(mode));
      const login = (appId: string) => ({ handshake: testHandshakes[mode], appId, secret: "correct horse" });
      const executor = testExecutor(service.root);
      const client = await service.connect(login("app-1"));
      await client.rpc(executor.registration);
      executor.writeBlocks(1, 0n, ["zero", large, "two"]);
      const request = testFetch(executor.key, 1, [[0n, [0, 1, 2]]]);
      const found = await client.fetch(request);
      expect(found.map(({ length }) => length)).toEqual([4, large.length, 3]);
      expect(found[1]?.equals(large)).toBe(true);
      const { streamId } = await client.open(request);
      expect((await client.stream(`${streamId}_0`)).toString()).toBe("zero");
      expect((await client.stream(`${streamId}_1`)).equals(large)).toBe(true);
      const other = await service.connect(login("app-2"));
      const text = "java.lang.SecurityException: Client for app-2 not authorized for application app-1.";
      await expect(other.open(request)).rejects.toThrow(text);
      const info = { localDirs: executor.localDirs, subDirsPerLocalDir: 64, shuffleManager: "" };
      await expect(other.rpc(testRegistration("app-1", "9", info))).rejects.toThrow(text);
      await expect(other.rpc(testNames(transferTypes.removeBlocks, executor.key, ["rdd_1_1"]))).rejects.toThrow(text);
      await expect(other.rpc(Buffer.concat([uint8(10), string("app-1"), int32(0)]))).rejects.toThrow(text);
      await expect(other.rpc(Buffer.concat([uint8(12), string("app-1")]))).rejects.toThrow(text);
    },
  );

  test.each(Object.keys(testHandshakes))("by %s rejects a wrong secret, and closes the connection", async (mode) => {
    const service = await testService(settingsOf(mode));
    const login = { handshake: testHandshakes[mode], appId: "app-1", secret: "wrong" };
    await expect(service.connect(login)).rejects.toThrow("Authentication failed.");
    expect(JSON.stringify(service.log())).not.toMatch(/correct horse|wrong/);
  });

  test("is required for every request", async () => {
    const service = await testService(settingsOf("sasl"));
    const executor = testExecutor(service.root);
    const requests = [
      testRpc(1n, executor.registration),
      testChunkRequest(1n, 0),
      testFrame(frameTypes.streamRequest, string("1_0")),
      testFrame(frameTypes.onewayMessage, int32(0)),
      testFrame(frameTypes.uploadStream, int64(1n), int32(0), int64(0n)),
      testFrame(frameTypes.mergedBlockMetaRequest, int64(1n), string("app-1"), int32(0), int32(0), int32(0)),
    ];
    for (const request of requests) {
      const client = await service.connect();
      const received: Buffer[] = [];
      client.socket.on("data", (piece: Buffer) => received.push(piece));
      client.send(request);
      await client.closed;
      expect([4, 1, 7, 12]).not.toContain(Buffer.concat(received)[8]);
    }
  });

  test("has a limit of 1 MiB for its messages", async () => {
    const service = await testService(settingsOf("sasl"));
    const client = await service.connect();
    client.send(int64(2n ** 20n + 9n));
    await client.closed;
  });

  test("has a time limit", async () => {
    const clock = testClock(0);
    const service = await testService({ ...settingsOf("sasl"), host: { clock } });
    const idle = await service.connect();
    const login = { handshake: testHandshakes["sasl"], appId: "app-1", secret: "correct horse" };
    const client = await service.connect(login);
    await clock.advance(30_000);
    await idle.closed;
    await expect(client.rpc(testNames(transferTypes.removeBlocks, ["app-1", "1"], []))).rejects.toThrow(
      "not registered",
    );
  });

  test("with another version logs the probable cause", async () => {
    const service = await testService(settingsOf("aes-ctr-1"));
    const login = { handshake: testHandshakes["aes-ctr-2"], appId: "app-1", secret: "correct horse" };
    const client = await service.connect(login);
    await expect(client.rpc(Buffer.from([99]))).rejects.toThrow("closed");
    expect(service.log().find(({ text }) => text === "A client sent invalid bytes.")).toMatchObject({
      hint: expect.stringContaining("authEngineVersion"),
    });
  });

  test("accepts frames that follow the last message of the handshake at once", async () => {
    const service = await testService(settingsOf("aes-ctr-2"));
    const login = { handshake: testHandshakes["aes-ctr-2"], appId: "app-1", secret: "correct horse" };
    const client = await service.connect(login);
    const responses = Array.from({ length: 50 }, () => client.rpc(Buffer.from([99])).catch(String));
    for (const response of await Promise.all(responses)) expect(response).toContain("Unknown message type: 99");
  });

  test.each(["none", ...Object.keys(testHandshakes)])("with more requests than wait in the queue: %s", async (mode) => {
    const handshake = testHandshakes[mode];
    const service = await testService(handshake === undefined ? {} : settingsOf(mode));
    const login = { handshake, appId: "app-1", secret: "correct horse" };
    const client = await service.connect(handshake === undefined ? undefined : login);
    const unknown = (index: number) => client.chunk(BigInt(index), 0).catch(String);
    const responses = await Promise.all(Array.from({ length: 2000 }, (_, index) => unknown(index)));
    for (const response of responses) expect(response).toContain("Unknown stream ID");
  });

  test("by a directory of secrets separates applications and sees new files", async () => {
    const directory = join((await testService()).root, "secrets");
    nodeHost().files.makeDirectory(directory);
    writeFileSync(join(directory, "app-1"), "one\n");
    writeFileSync(join(directory, "..data"), "hidden");
    const authentication = { ...settingsOf("sasl").authentication, secrets: { kind: "directory" as const, directory } };
    const service = await testService({ authentication });
    const login = (appId: string, secret: string) =>
      service.connect({ handshake: testHandshakes["sasl"], appId, secret });
    await login("app-1", "one");
    for (const [appId, secret] of [
      ["app-2", "one"],
      ["../app-1", "one"],
      ["..data", "hidden"],
      ["", "one"],
    ] as const) {
      await expect(login(appId, secret)).rejects.toThrow("Authentication failed.");
    }
    writeFileSync(join(directory, "app-2"), "two");
    await login("app-2", "two");
    await expect(login("app-1", "two")).rejects.toThrow("Authentication failed.");
  });
});

test("TLS has the same protocol inside", async () => {
  const files = await testService();
  const [key, certificates] = [join(files.root, "key.pem"), join(files.root, "cert.pem")];
  writeFileSync(key, testKey);
  writeFileSync(certificates, testCertificate);
  const tls = { kind: "pem" as const, key, certificates, password: undefined, setting: "privateKey" };
  const service = await testService({ tls });
  const open = () => connectTls({ port: service.port, host: "127.0.0.1", rejectUnauthorized: false });
  const client = await testClient(service.port, undefined, open);
  onTestFinished(client.close);
  const executor = testExecutor(service.root);
  await client.rpc(executor.registration);
  executor.writeBlocks(1, 0n, ["zero", large]);
  const found = await client.fetch(testFetch(executor.key, 1, [[0n, [0, 1]]]));
  expect([found[0]?.toString(), found[1]?.equals(large)]).toEqual(["zero", true]);
  const plain = await service.connect();
  plain.send(testRpc(1n, executor.registration));
  await plain.closed;
});

describe("a stop", () => {
  test("lets transfers end, and closes idle connections", async () => {
    const service = await testService();
    const { client, big } = await withBlocks(service);
    const idle = await service.connect();
    const { streamId } = await client.open(big);
    const chunk = client.chunk(streamId, 0);
    await once(client.socket, "data");
    const stopped = service.stop();
    expect((await chunk).equals(large)).toBe(true);
    await Promise.all([client.closed, idle.closed, stopped]);
    await expect((await service.connect()).rpc(Buffer.from([99]))).rejects.toThrow("closed");
  });

  test("cuts transfers that last too long", async () => {
    const clock: TestClock = testClock(0);
    const service = await testService({ host: { clock } });
    const { huge } = await withBlocks(service);
    await requestWithoutReading(service, huge);
    let isStopped = false;
    const stopped = service.stop().then(() => {
      isStopped = true;
    });
    while (!isStopped) await clock.advance(1000);
    await stopped;
  });
});

describe("a restart", () => {
  test("recovers the registrations", async () => {
    const first = await testService();
    const { small } = await withBlocks(first);
    await first.stop();
    const second = await testService({ ...first.settings, root: first.root });
    await expectAlive(second, small);
    expect(second.log()).toContainEqual(
      expect.objectContaining({ text: "Registrations were recovered.", executors: 1 }),
    );
  });

  test("drops a line that was not written completely, and damaged lines", async () => {
    const first = await testService();
    const { small } = await withBlocks(first);
    await first.stop();
    const path = join(first.stateDirectory, "registrations.jsonl");
    const text = nodeHost().files.readText(path) ?? "";
    writeFileSync(path, `not JSON\n{"kind":"register","appId":7}\n${text}${text.slice(0, -20)}`);
    const second = await testService({ ...first.settings, root: first.root });
    await expectAlive(second, small);
    await second.stop();
    expect(nodeHost().files.readText(path)).toBe(text);
  });

  test("drops registrations whose directories do not exist, or are not below the roots any more", async () => {
    const first = await testService();
    const { client } = await withBlocks(first);
    const gone = testExecutor(first.root, "app-2");
    await client.rpc(gone.registration);
    await first.stop();
    rmSync(join(first.root, "app-2"), { recursive: true });
    const second = await testService({ ...first.settings, root: first.root });
    expect(second.log()).toContainEqual(expect.objectContaining({ executors: 1 }));
    await second.stop();
    const third = await testService({ ...first.settings, root: first.root, directories: ["/nowhere"] });
    expect(third.log().map(({ text }) => text)).toContain("A registration is not allowed any more, so it is dropped.");
  });

  test("is not possible while another service uses the state", async () => {
    const first = await testService();
    const second = testService({ ...first.settings, root: first.root });
    await expect(second).rejects.toMatchObject({ code: "SUBMIT_ERR_SHUFFLE_START" });
    await expect(second).rejects.toThrow(`another shuffle service uses the state directory ${first.stateDirectory}`);
  });

  test("compacts the state when it has grown", async () => {
    const service = await testService();
    const client = await service.connect();
    const executor = testExecutor(service.root, "app-1", "1", 200);
    for (let index = 0; index < 120; index += 1) await client.rpc(executor.registration);
    const path = join(service.stateDirectory, "registrations.jsonl");
    const size = nodeHost().files.info(path)?.sizeBytes ?? 0;
    expect(size).toBeLessThan(1_100_000);
    await service.stop();
    truncateSync(path, size);
    const second = await testService({ ...service.settings, root: service.root });
    expect(second.log()).toContainEqual(expect.objectContaining({ executors: 1 }));
  });
});

test("random content of any size arrives unchanged", async () => {
  const service = await testService();
  const { executor, client } = await withBlocks(service);
  const sizes = fc.array(fc.oneof(fc.nat(100), fc.integer({ min: 262_000, max: 262_300 }), fc.nat(700_000)), {
    minLength: 1,
    maxLength: 8,
  });
  let map = 100n;
  await fc.assert(
    fc.asyncProperty(sizes, async (lengths) => {
      map += 1n;
      const contents = lengths.map((length) => randomBytes(length));
      executor.writeBlocks(1, map, contents);
      const found = await client.fetch(testFetch(executor.key, 1, [[map, contents.map((_, index) => index)]]));
      expect(found.every((content, index) => content.equals(contents[index] ?? Buffer.alloc(0)))).toBe(true);
    }),
    { numRuns: 40 },
  );
});
