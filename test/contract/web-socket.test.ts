import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import WebSocket from "ws";
import { nodeHost } from "../../src/host/node-host.ts";
import { type EmbeddedCluster, startCluster } from "../../src/local-cluster/index.ts";
import { contractClient } from "./contract-client.ts";

const maps = "/api/v1/namespaces/default/configmaps";
const directory = mkdtempSync(join(tmpdir(), "firesteel-web-socket-"));
let cluster: EmbeddedCluster;

beforeAll(async () => {
  cluster = await startCluster(nodeHost(), {
    ...{ directory, apiOnly: true, sandbox: "fake", sparkHomes: [], javaHome: undefined },
  });
});
afterAll(async () => {
  await cluster.stop();
  rmSync(directory, { recursive: true, force: true });
});

function create(name: string) {
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name, labels: { name } } };
  return contractClient(cluster.transport).call("POST", maps, object);
}

function open(query: string, { token = cluster.token, origin = cluster.url } = {}): WebSocket {
  const url = `${cluster.url.replace("https", "wss")}${maps}?watch=true&${query}`;
  return new WebSocket(url, {
    ca: cluster.certificateAuthority,
    headers: { authorization: `Bearer ${token}`, ...(origin === "" ? {} : { origin }) },
  });
}

interface Frame {
  readonly type: string;
  readonly object: { readonly metadata: { readonly name: string } };
}

/** Reads messages until the server closes, and the close code. */
function received(socket: WebSocket, onFrame = (_: Frame) => {}) {
  const frames: Frame[] = [];
  return new Promise<{ readonly frames: readonly Frame[]; readonly code: number }>((resolve, reject) => {
    socket.on("message", (data, isBinary) => {
      const frame = parseFrame(String(data));
      if (isBinary) reject(new Error("a binary frame"));
      frames.push(frame);
      onFrame(frame);
    });
    socket.on("close", (code) => resolve({ frames, code }));
    socket.on("error", reject);
  });
}

function parseFrame(text: string): Frame {
  return JSON.parse(text);
}

describe("a watch over a WebSocket", () => {
  test("shows existing objects, then every change, and closes normally at its timeout", async () => {
    await create("first");
    const socket = open("labelSelector=name%20in%20(first,second)&timeoutSeconds=2");
    const { frames, code } = await received(socket, ({ object }) => {
      if (object.metadata.name === "first") create("second").catch(() => socket.terminate());
    });
    expect(frames.map(({ type, object }) => [type, object.metadata.name])).toEqual([
      ["ADDED", "first"],
      ["ADDED", "second"],
    ]);
    expect(code).toBe(1000);
  });

  test("continues from a revision", async () => {
    const { body } = await create("before");
    await create("after");
    const socket = open(`resourceVersion=${body.metadata.resourceVersion}&timeoutSeconds=60`);
    const { frames } = await received(socket, () => socket.close());
    expect(frames[0]).toMatchObject({ type: "ADDED", object: { metadata: { name: "after" } } });
  });

  test("reports a forgotten revision by an event", async () => {
    const { frames } = await received(open("resourceVersion=1&timeoutSeconds=60"));
    expect(frames).toMatchObject([{ type: "ERROR", object: { kind: "Status", code: 410 } }]);
  });

  test("rejects unknown users with a plain response", async () => {
    await expect(received(open("timeoutSeconds=1", { token: "guessed" }))).rejects.toThrow("401");
  });

  test("accepts any origin", async () => {
    await expect(received(open("timeoutSeconds=1", { origin: "" }))).rejects.toThrow("403");
    const { code } = await received(open("timeoutSeconds=1", { origin: "https://elsewhere.example" }));
    expect(code).toBe(1000);
  });
});
