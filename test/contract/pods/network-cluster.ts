import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { connect, createServer } from "node:net";
import { afterAll, beforeAll, beforeEach } from "vitest";
import type { Host } from "../../../src/host/host.ts";
import { nodeHost } from "../../../src/host/node-host.ts";
import { type EmbeddedCluster, startCluster } from "../../../src/local-cluster/index.ts";
import { missingOf, type Requirement, sandboxRequirements } from "../../requirements.ts";
import { requires } from "../../test-with.ts";
import { ordinaryUser } from "../ordinary-user.ts";
import type { SandboxCase } from "../sandbox-runner.ts";
import { createTestNamespace, type TestNamespace } from "../test-namespace.ts";

/** Cluster whose pods have a network each, and a namespace in it. */
export interface NetworkCluster {
  readonly cluster: () => EmbeddedCluster;
  readonly space: () => TestNamespace;
  /** Address of the node and the API. */
  readonly nodeAddress: () => string;
}

interface NetworkClusterOptions extends SandboxCase {
  /** Changes the machine that the cluster sees. */
  readonly change?: (host: Host) => Host;
  readonly required?: readonly Requirement[];
}

/** Starts a cluster for the tests of a `describe`. They are skipped if this machine lacks what it requires. */
export function networkCluster({ choice, user, change = (host) => host, required = [] }: NetworkClusterOptions) {
  const machine = nodeHost();
  const directory = machine.files.makeTemporaryDirectory(`${machine.files.temporaryRoot}/firesteel-network-`);
  const all = [sandboxRequirements[choice], "network namespaces", ...required] as const;
  let cluster: EmbeddedCluster | undefined;
  let space: TestNamespace | undefined;
  beforeAll(async () => {
    if (all.some((each) => missingOf(each) !== undefined)) return;
    const options = { directory, sandbox: choice, apiOnly: false, sparkHomes: [], javaHome: undefined } as const;
    cluster = await startCluster(change(user === "current" ? machine : ordinaryUser(machine, directory)), options);
    space = await createTestNamespace({ transport: cluster.transport, image: "debian:12", close: async () => {} });
  });
  for (const each of all) beforeEach(requires(each));
  afterAll(async () => {
    await space?.close();
    await cluster?.stop();
    machine.files.remove(directory);
  });
  const started = () => {
    if (cluster === undefined || space === undefined) throw new Error("the cluster has not started");
    return { cluster, space };
  };
  const opened: NetworkCluster = {
    cluster: () => started().cluster,
    space: () => started().space,
    nodeAddress: () => new URL(started().cluster.url).hostname,
  };
  return opened;
}

/** Options of polls: far more than anything takes, even on a busy machine. */
export const polling = { timeout: 60_000 } as const;

/** Returns what a server on this machine or in a pod sends until it closes the connection, or Node's error code. */
export function greetingOf(host: string, port: number): Promise<string> {
  return new Promise((resolve) => {
    let text = "";
    const socket = connect({ host, port });
    socket.on("data", (chunk) => {
      text += chunk.toString("utf8");
    });
    socket.on("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    socket.on("end", () => resolve(text));
  });
}

/** Greets connections on this machine. @returns the port and a function that ends it */
export async function startGreeter(host: string, greeting: string): Promise<{ port: number; close: () => void }> {
  const server = createServer((socket) => socket.on("error", () => {}).end(greeting));
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host, port: 0 }, resolve);
  });
  const address = server.address();
  return { port: typeof address === "object" ? (address?.port ?? 0) : 0, close: () => server.close() };
}

/** A process of this machine. */
interface ProcessFacts {
  readonly pid: number;
  readonly parent: number;
  readonly command: string;
  /** Its network namespace; empty if it belongs to another user. */
  readonly network: string;
}

/** Lists the descendants of a process. */
export function descendantsOf(pid: number): readonly ProcessFacts[] {
  const all = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name): ProcessFacts[] => {
      try {
        const [, , parent = ""] = /^.*\) (\S) (\d+)/s.exec(readFileSync(`/proc/${name}/stat`, "utf8")) ?? [];
        const command = readFileSync(`/proc/${name}/cmdline`, "utf8").replaceAll("\0", " ");
        return [{ pid: Number(name), parent: Number(parent), command, network: networkOf(name) }];
      } catch {
        // It has ended.
        return [];
      }
    });
  const found = new Set([pid]);
  for (let size = 0; size < found.size; ) {
    size = found.size;
    for (const process of all) if (found.has(process.parent)) found.add(process.pid);
  }
  return all.filter((process) => process.pid !== pid && found.has(process.pid));
}

function networkOf(pid: string): string {
  try {
    return readlinkSync(`/proc/${pid}/ns/net`);
  } catch {
    return "";
  }
}
