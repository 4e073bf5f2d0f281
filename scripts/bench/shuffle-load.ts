import { mkdirSync, writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { blockPathOf, dataFileName, indexFileName } from "../../src/shuffle-service/files/layout.ts";
import { int64 } from "../../src/shuffle-service/protocol/byte-writer.ts";
import {
  testChunkRequest,
  testFetch,
  testRegistration,
  testRpc,
} from "../../src/shuffle-service/protocol/test-requests.ts";

const appId = "spark-bench";
const subDirsPerLocalDir = 64;
/** Bytes of a response to a chunk request before its content. */
const headerBytes = 8 + 1 + 8 + 4;
/** Bytes of a response with a stream handle: frame, type, request ID, length, message type, stream ID, number of chunks. */
const handleBytes = 8 + 1 + 8 + 4 + 1 + 8 + 4;
const registeredBytes = 8 + 1 + 8 + 4;

/** Map outputs of one executor. */
export interface MapOutputs {
  readonly execId: string;
  readonly blockBytes: number;
  readonly blocks: number;
  readonly localDir: string;
}

/** Writes one map output of at most `maxBytes` for each executor. */
export function writeOutputs(
  root: string,
  {
    executors,
    blockBytes,
    maxBytes,
  }: { readonly executors: number; readonly blockBytes: number; readonly maxBytes: number },
): readonly MapOutputs[] {
  const blocks = Math.max(1, Math.floor(maxBytes / blockBytes));
  const content = Buffer.alloc(blocks * blockBytes, 1);
  const offsets = Buffer.concat(Array.from({ length: blocks + 1 }, (_, index) => int64(BigInt(index * blockBytes))));
  return Array.from({ length: executors }, (_, index) => {
    const localDir = join(root, `blockmgr-${index}`);
    const write = (name: string, bytes: Buffer) => {
      const { subDir } = blockPathOf(name, { localDirs: [localDir], subDirsPerLocalDir });
      mkdirSync(join(localDir, subDir), { recursive: true });
      writeFileSync(join(localDir, subDir, name), bytes);
    };
    write(dataFileName(0, 0n), content);
    write(indexFileName(0, 0n), offsets);
    return { execId: String(index), blockBytes, blocks, localDir };
  });
}

/** Registers executors. */
export async function register(port: number, outputs: readonly MapOutputs[]): Promise<void> {
  const client = await open(port);
  for (const { execId, localDir } of outputs) {
    const info = {
      localDirs: [localDir],
      subDirsPerLocalDir,
      shuffleManager: "org.apache.spark.shuffle.sort.SortShuffleManager",
    };
    await client.exchange([testRpc(1n, testRegistration(appId, execId, info))], registeredBytes);
  }
  client.close();
}

/** Fetches all blocks of each executor at the same time, over one connection each, until `bytes` have arrived. */
export async function fetchAll(port: number, outputs: readonly MapOutputs[], bytes: number): Promise<void> {
  const share = bytes / outputs.length;
  await Promise.all(
    outputs.map(async (output) => {
      const client = await open(port);
      for (let received = 0; received < share; ) received += await fetchOutput(client, output);
      client.close();
    }),
  );
}

/** Blocks of one request: as many as a reducer requests at a time. */
const requestBytes = 48 * 1024 * 1024;

async function fetchOutput(client: Client, { execId, blockBytes, blocks }: MapOutputs): Promise<number> {
  const perRequest = Math.min(blocks, 4096, Math.max(1, Math.floor(requestBytes / blockBytes)));
  for (let start = 0; start < blocks; start += perRequest) {
    const reduceIds = Array.from({ length: Math.min(perRequest, blocks - start) }, (_, index) => start + index);
    const handle = await client.exchange([testRpc(2n, testFetch([appId, execId], 0, [[0n, reduceIds]]))], handleBytes);
    const streamId = handle.readBigInt64BE(handleBytes - 12);
    const requests = reduceIds.map((_, index) => testChunkRequest(streamId, index));
    await client.exchange(requests, reduceIds.length * (headerBytes + blockBytes));
  }
  return blocks * blockBytes;
}

/** A connection, on which a response follows each request. */
interface Client {
  /** Sends requests, and waits for a number of bytes. Returns the first of them. @throws Error if the service responds otherwise */
  readonly exchange: (requests: readonly Buffer[], expectedBytes: number) => Promise<Buffer>;
  readonly close: () => void;
}

async function open(port: number): Promise<Client> {
  const socket: Socket = connect({
    ...{ port, host: "127.0.0.1" },
    // Read into one buffer: the client must not be what limits the speed.
    onread: {
      buffer: Buffer.allocUnsafeSlow(1024 * 1024),
      callback(count, buffer) {
        // A response can arrive in several pieces.
        const before = received === 0 ? Buffer.alloc(0) : first;
        first = Buffer.concat([before, buffer.subarray(0, Math.min(count, handleBytes - before.length))]);
        received += count;
        if (received === expected) settle?.();
        else if (received > expected) fail?.(new Error(`${received} bytes instead of ${expected}`));
        return true;
      },
    },
  });
  let [received, expected] = [0, 0];
  let first: Buffer = Buffer.alloc(0);
  let settle: (() => void) | undefined;
  let fail: ((error: Error) => void) | undefined;
  socket.on("error", (error) => fail?.(error));
  socket.on("close", () => fail?.(new Error("the service closed a connection")));
  await new Promise<void>((resolve, reject) => {
    socket.once("connect", () => resolve());
    fail = reject;
  });
  return {
    async exchange(requests, expectedBytes) {
      [received, expected] = [0, expectedBytes];
      const done = new Promise<void>((resolve, reject) => {
        settle = resolve;
        fail = reject;
      });
      socket.write(Buffer.concat(requests));
      await done;
      fail = undefined;
      return first;
    },
    close: () => void socket.destroy(),
  };
}
