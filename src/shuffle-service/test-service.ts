import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import type { Host } from "../host/host.ts";
import type { nodeBlockFiles } from "../host/node-block-files.ts";
import { nodeHost } from "../host/node-host.ts";
import { overrideHost } from "../host/override-host.ts";
import type { TestHandshake } from "./authentication/test-handshakes.ts";
import { blockPathOf } from "./files/layout.ts";
import { openShuffleService, type ShuffleService } from "./index.ts";
import { testRegistration } from "./protocol/test-requests.ts";
import type { ShuffleServiceSettings } from "./settings.ts";
import { type TestClient, testClient } from "./test-client.ts";

const manager = "org.apache.spark.shuffle.sort.SortShuffleManager";

/** A service with a root for the directories of executors. */
export interface TestService extends ShuffleService {
  readonly root: string;
  readonly stateDirectory: string;
  readonly settings: ShuffleServiceSettings;
  /** Entries of the log so far. */
  readonly log: () => readonly Readonly<Record<string, unknown>>[];
  readonly connect: (login?: {
    handshake: TestHandshake | undefined;
    appId: string;
    secret: string;
  }) => Promise<TestClient>;
}

/** Settings of a test that differ from the defaults. */
interface TestSettings extends Partial<Omit<ShuffleServiceSettings, "limits">> {
  readonly limits?: Partial<ShuffleServiceSettings["limits"]>;
  readonly host?: Partial<Host>;
  /** Root of another service. */
  readonly root?: string;
  /** Files of executors. @default those of this machine */
  readonly openFiles?: typeof nodeBlockFiles;
}

/** Default limits, which tests change. */
export const testLimits: ShuffleServiceSettings["limits"] = {
  maxConnections: 1000,
  maxChunksInFlight: Number.MAX_SAFE_INTEGER,
  bufferBytes: 8 * 1024 * 1024,
  requestBytes: 128 * 1024 * 1024,
  indexCacheBytes: 100 * 1024 * 1024,
  maxUnusedFiles: 100,
  connectionTimeoutMs: 120_000,
  handshakeTimeoutMs: 30_000,
  drainMs: 10_000,
};

/** Starts a service with a directory of its own. It stops with the test. */
export async function testService({
  limits,
  host: overrides = {},
  root: existingRoot,
  openFiles,
  ...others
}: TestSettings = {}): Promise<TestService> {
  const root = existingRoot ?? realpathSync(mkdtempSync(join(tmpdir(), "shuffle-service-")));
  if (existingRoot === undefined) onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const lines: string[] = [];
  const sink = {
    isTerminal: false,
    columns: 80,
    write: (text: string | Uint8Array) => void lines.push(text.toString()),
  };
  const host = overrideHost(nodeHost(), { stdout: sink, ...overrides });
  const settings: ShuffleServiceSettings = {
    ...{ address: "127.0.0.1", port: 0, directories: [root], stateDirectory: join(root, "state"), ...others },
    limits: { ...testLimits, ...limits },
  };
  const service = await openShuffleService(host, settings, openFiles);
  let isStopped = false;
  const stop = async () => {
    isStopped = true;
    await service.stop();
  };
  onTestFinished(async () => {
    if (!isStopped) await stop();
  });
  const connect = async (login?: Parameters<typeof testClient>[1]) => {
    const client = await testClient(service.port, login);
    onTestFinished(client.close);
    return client;
  };
  const log = () => lines.map((line) => JSON.parse(line));
  return { ...service, stop, root, stateDirectory: join(root, "state"), settings, log, connect };
}

/** An executor, which writes files as Spark does. */
export interface TestExecutor {
  readonly key: readonly [string, string];
  readonly localDirs: readonly string[];
  readonly registration: Buffer;
  readonly pathOf: (name: string) => string;
  readonly writeFile: (name: string, content: Buffer | string) => void;
  /** Writes a map output with its blocks. */
  readonly writeBlocks: (shuffleId: number, mapId: bigint, blocks: readonly (Buffer | string)[]) => void;
}

/** Creates the directories of an executor below a root. */
export function testExecutor(root: string, appId = "app-1", execId = "1", directories = 2): TestExecutor {
  const localDirs = Array.from({ length: directories }, (_, index) => join(root, appId, `blockmgr-${execId}-${index}`));
  for (const directory of localDirs) mkdirSync(directory, { recursive: true });
  const info = { localDirs, subDirsPerLocalDir: 64, shuffleManager: manager };
  const pathOf = (name: string) => {
    const { localDir, subDir } = blockPathOf(name, info);
    return join(localDirs[localDir] ?? "", subDir, name);
  };
  const write = (name: string, content: Buffer | string) => {
    mkdirSync(dirname(pathOf(name)), { recursive: true });
    writeFileSync(pathOf(name), content);
  };
  return {
    ...{
      key: [appId, execId],
      localDirs,
      registration: testRegistration(appId, execId, info),
      pathOf,
      writeFile: write,
    },
    writeBlocks(shuffleId, mapId, blocks) {
      const contents = blocks.map((block) => Buffer.from(block));
      const index = Buffer.alloc(8 * (contents.length + 1));
      let offset = 0;
      for (const [position, { length }] of contents.entries()) {
        offset += length;
        index.writeBigInt64BE(BigInt(offset), 8 * (position + 1));
      }
      write(`shuffle_${shuffleId}_${mapId}_0.data`, Buffer.concat(contents));
      write(`shuffle_${shuffleId}_${mapId}_0.index`, index);
    },
  };
}
