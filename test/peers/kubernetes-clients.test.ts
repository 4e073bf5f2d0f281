import { rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { requires } from "../test-with.ts";
import { call, fetchPeer, type Peer } from "./fetch-peer.ts";
import { type PeerCluster, startPeerCluster } from "./peer-cluster.ts";

const here = dirname(fileURLToPath(import.meta.url));
let cluster: PeerCluster;

beforeAll(async () => {
  cluster = await startPeerCluster();
});
afterAll(() => cluster.stop());

/** Results that both clients must report. */
const seen = {
  applied: { k: "v" },
  missing: { code: 404, reason: "NotFound" },
  log: "a line\n",
  scaled: 2,
};

describe("the official JavaScript client", () => {
  let peer: Peer;
  beforeAll(() => {
    // The last version that supports Node 20.
    peer = fetchPeer("client-node-1.4.0", {}, (directory) => {
      call("npm", ["install", "--silent", "--prefix", directory, "@kubernetes/client-node@1.4.0"]);
    });
  }, 300_000);
  beforeEach((context) => requires(peer)(context));

  test("creates, watches with an informer, applies, executes, reads logs, scales and deletes", async () => {
    const directory = "directory" in peer ? peer.directory : "";
    const ended = await cluster.run(process.execPath, [join(here, "javascript-client.mjs"), directory]);
    expect(ended).toMatchObject({ exit: 0, error: "" });
    expect(JSON.parse(ended.out)).toEqual({
      ...seen,
      informer: ["add own 1", "update own 2", "delete own 2"],
      exec: { out: "out\n", error: "err\n", reason: "NonZeroExitCode", code: "4" },
    });
  });
});

describe.each(["32.0.1", "35.0.0"])("the official Python client %s", (version) => {
  let peer: Peer;
  beforeAll(() => {
    peer = fetchPeer(`python-kubernetes-${version}`, "Python 3.10 with venv", (directory) => {
      call("python3", ["-m", "venv", join(directory, "env")]);
      call(join(directory, "env/bin/pip"), ["install", "--quiet", `kubernetes==${version}`]);
      rmSync(join(directory, "env/share"), { recursive: true, force: true });
    });
  }, 300_000);
  beforeEach((context) => requires(peer)(context));

  test("creates, watches, applies, executes, forwards, uses the proxy, scales and deletes", async () => {
    const directory = "directory" in peer ? peer.directory : "";
    const ended = await cluster.run(join(directory, "env/bin/python"), [join(here, "python_client.py")]);
    expect(ended).toMatchObject({ exit: 0, error: "" });
    expect(JSON.parse(ended.out)).toEqual({
      ...seen,
      watch: [
        ["ADDED", "1"],
        ["MODIFIED", "2"],
        ["DELETED", "2"],
      ],
      exec: { out: "got this\n", error: "err\n", code: 4 },
      proxy: true,
      forwarded: "HTTP/1.0 404 File not found",
    });
  });
});
