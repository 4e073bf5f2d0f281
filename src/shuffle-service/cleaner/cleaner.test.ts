/** @module-tag long */

import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { StopSignal } from "../../errors/stop-signal.ts";
import type { DirectoryTrees } from "../../host/directory-trees.ts";
import { nodeDirectoryTrees } from "../../host/node-directory-trees.ts";
import { nodeHost } from "../../host/node-host.ts";
import type { Pod } from "../../kube/types.ts";
import { refused, socketError } from "../../kube-client/test-api.ts";
import { testClient } from "../../kube-client/test-client.ts";
import { registrations } from "../registry/registrations.ts";
import { startCleaner } from "./start-cleaner.ts";

const minute = 60_000;
const endOfWatch = "";

/** Pods of an API whose lists can fail. Each change is an event of the open watches. */
function fakeCluster() {
  const pods = new Map<string, Pod>();
  const watchers = new Set<(line: string | undefined) => void>();
  const state = { failsLists: false, lists: 0, watches: 0, version: 1 };
  const send = (type: string, object: object) => {
    for (const push of watchers) push(`${JSON.stringify({ type, object })}\n`);
  };
  async function* events(signal: StopSignal | undefined): AsyncGenerator<Uint8Array> {
    const lines: (string | undefined)[] = [];
    let wake = () => {};
    const push = (line: string | undefined) => {
      lines.push(line);
      wake();
    };
    watchers.add(push);
    const isAborted = () => signal?.aborted === true;
    signal?.addEventListener("abort", () => wake(), { once: true });
    try {
      for (;;) {
        if (isAborted()) throw socketError("ABORT_ERR");
        const line = lines.shift();
        if (line === endOfWatch) return;
        if (line !== undefined) yield Buffer.from(line);
        else
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
    } finally {
      watchers.delete(push);
    }
  }
  const { client, clock } = testClient(({ path, signal }) => {
    const query = new URLSearchParams(path.split("?")[1]);
    if (query.get("watch") === "true") {
      state.watches += 1;
      return { status: 200, stream: events(signal) };
    }
    state.lists += 1;
    if (state.failsLists) return refused(500, "etcd is not available");
    const [, appId] = /spark-app-selector=([^,]+)/.exec(query.get("labelSelector") ?? "") ?? [];
    const items = [...pods.values()].filter(({ metadata }) =>
      appId === undefined
        ? metadata?.labels?.["spark-role"] === "driver"
        : metadata?.labels?.["spark-app-selector"] === appId,
    );
    return { status: 200, body: { metadata: { resourceVersion: String(state.version) }, items } };
  });
  return {
    ...{ client: client.withoutRetries(), clock, state, send },
    setPod(appId: string, role: string, phase: string) {
      state.version += 1;
      const name = `${appId}-${role}`;
      const labels = { "spark-app-selector": appId, "spark-role": role };
      const type = pods.has(name) ? "MODIFIED" : "ADDED";
      const metadata = { name, namespace: "ns", uid: `uid-${name}`, resourceVersion: String(state.version), labels };
      const pod: Pod = { apiVersion: "v1", kind: "Pod", metadata, status: { phase } };
      pods.set(name, pod);
      if (role === "driver") send(type, pod);
    },
    deletePod(appId: string, role: string) {
      const pod = pods.get(`${appId}-${role}`);
      pods.delete(`${appId}-${role}`);
      if (pod !== undefined) send("DELETED", pod);
    },
    deleteSilently: (appId: string, role: string) => pods.delete(`${appId}-${role}`),
    endWatches() {
      for (const push of watchers) push(endOfWatch);
    },
    expire: () => send("ERROR", { kind: "Status", apiVersion: "v1", status: "Failure", code: 410, reason: "Expired" }),
  };
}

/** Starts a cleaner with a real directory and registered applications. */
function testCleaner(cluster = fakeCluster(), trees: DirectoryTrees = nodeDirectoryTrees()) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "cleaner-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const { files, random } = nodeHost();
  const registered = registrations(files, [root]);
  const removed: string[] = [];
  const incomplete: string[] = [];
  const logged: string[] = [];
  const directoryOf = (appId: string, parent = appId) => join(root, parent, `blockmgr-${appId}`);
  const register = (appId: string, parent = appId) => {
    mkdirSync(join(directoryOf(appId, parent), "00"), { recursive: true });
    writeFileSync(join(directoryOf(appId, parent), "00", "shuffle_0_0_0.data"), "12345");
    const info = { localDirs: [directoryOf(appId, parent)], subDirsPerLocalDir: 64, shuffleManager: "" };
    registered.register({ appId, execId: "1" }, info, 0);
  };
  const start = () => {
    const log = (_level: string, message: string) => void logged.push(message);
    const cleaner = startCleaner({
      ...{ client: cluster.client, clock: cluster.clock, host: { random }, trees, roots: [root] },
      ...{ registrations: registered, registrationLog: undefined, log, limitedLog: log },
      onRemoved: (reason, { isComplete }) => (isComplete ? removed : incomplete).push(reason),
      options: {
        times: { retentionMs: minute, absenceMs: minute, clientModeMs: 60 * minute },
        ...{ cleanEveryMs: 30_000, orphanMs: 60 * minute, namespace: undefined },
      },
    });
    onTestFinished(() => cleaner.stop());
    return cleaner;
  };
  /** Advances time in steps, so that file operations of one step end before the next. */
  const advance = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += 10_000) {
      await cluster.clock.advance(10_000);
      for (let round = 0; round < 20; round += 1) await new Promise((resolve) => setImmediate(resolve));
    }
  };
  /** Advances time until files are removed. The file operations take real time. */
  const removal = async () => {
    while (removed.length === 0) {
      await advance(10_000);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    return removed;
  };
  return {
    ...{ root, cluster, registered, register, start, advance, removal, removed, incomplete, logged, directoryOf },
  };
}

test.each(["Succeeded", "Failed"])("removes the files of a driver that has %s, after the retention", async (phase) => {
  const { cluster, register, start, advance, directoryOf, removed, registered, root, removal } = testCleaner();
  register("app-1");
  register("app-2");
  cluster.setPod("app-1", "driver", "Running");
  cluster.setPod("app-2", "driver", "Running");
  start();
  await advance(10 * minute);
  expect(removed).toEqual([]);
  cluster.setPod("app-1", "driver", phase);
  await advance(30_000);
  expect(existsSync(directoryOf("app-1"))).toBe(true);
  expect(await removal()).toEqual(["driverEnded"]);
  expect(existsSync(join(root, "app-1"))).toBe(false);
  expect(existsSync(directoryOf("app-2"))).toBe(true);
  expect([...registered.applications.keys()]).toEqual(["app-2"]);
});

test("removes the files of a driver that is gone, also if its deletion was missed", async () => {
  const { cluster, register, start, advance, removal } = testCleaner();
  register("app-1");
  cluster.setPod("app-1", "driver", "Running");
  start();
  await advance(minute);
  cluster.deleteSilently("app-1", "driver");
  cluster.expire();
  expect(await removal()).toEqual(["driverGone"]);
});

test("keeps everything while the API does not respond, and continues after it", async () => {
  const { cluster, register, start, advance, removed, directoryOf, removal } = testCleaner();
  register("app-1");
  cluster.setPod("app-1", "driver", "Running");
  const cleaner = start();
  await advance(minute);
  cluster.state.failsLists = true;
  cluster.deletePod("app-1", "driver");
  cluster.expire();
  await advance(20 * minute);
  expect(removed).toEqual([]);
  expect(existsSync(directoryOf("app-1"))).toBe(true);
  expect(cleaner.watchAgeMs()).toBeGreaterThan(10 * minute);
  cluster.state.failsLists = false;
  expect(await removal()).toEqual(["driverGone"]);
});

test("a watch that ends without events shows that the API responds", async () => {
  const { cluster, start, advance } = testCleaner();
  const cleaner = start();
  await advance(5 * minute);
  expect(cleaner.watchAgeMs()).toBeGreaterThan(4 * minute);
  cluster.endWatches();
  await advance(10_000);
  expect(cleaner.watchAgeMs()).toBeLessThan(minute);
  expect(cluster.state.watches).toBe(2);
});

test("watches again after the version has expired", async () => {
  const { cluster, register, start, advance, removal } = testCleaner();
  register("app-1");
  cluster.setPod("app-1", "driver", "Running");
  start();
  await advance(minute);
  const { lists, watches } = cluster.state;
  cluster.expire();
  await advance(minute);
  expect([cluster.state.lists - lists, cluster.state.watches - watches]).toEqual([1, 1]);
  cluster.setPod("app-1", "driver", "Succeeded");
  expect(await removal()).toEqual(["driverEnded"]);
});

test("keeps applications in client mode as long as executors run, and an hour longer", async () => {
  const { cluster, register, start, advance, removed, removal } = testCleaner();
  register("app-1");
  cluster.setPod("app-1", "executor", "Running");
  start();
  await advance(100 * minute);
  expect(removed).toEqual([]);
  cluster.deletePod("app-1", "executor");
  await advance(58 * minute);
  expect(removed).toEqual([]);
  expect(await removal()).toEqual(["podsGone"]);
});

test("removes only its own directory if the application's directory has files of others", async () => {
  const { cluster, register, start, directoryOf, removal } = testCleaner();
  register("app-1");
  register("app-2", "app-1");
  cluster.setPod("app-1", "driver", "Failed");
  cluster.setPod("app-2", "driver", "Running");
  start();
  expect(await removal()).toEqual(["driverEnded"]);
  expect(existsSync(directoryOf("app-1"))).toBe(false);
  expect(existsSync(directoryOf("app-2", "app-1"))).toBe(true);
});

test("does not follow links in the files of an application", async () => {
  const { cluster, register, start, directoryOf, root, removal } = testCleaner();
  register("app-1");
  mkdirSync(join(root, "other"));
  writeFileSync(join(root, "other", "file"), "kept");
  symlinkSync(join(root, "other"), join(directoryOf("app-1"), "link"));
  cluster.setPod("app-1", "driver", "Failed");
  start();
  expect(await removal()).toEqual(["driverEnded"]);
  expect(existsSync(join(root, "other", "file"))).toBe(true);
});

test("at its start, removes old directories of applications without pods, and what a removal left", async () => {
  const { cluster, start, advance, root } = testCleaner();
  const id = (digit: string) => `spark-${digit.repeat(32)}`;
  const names = [id("a"), id("b"), id("c"), ".removed-1", "blockmgr-x", "data"];
  for (const name of names) mkdirSync(join(root, name, "blockmgr"), { recursive: true });
  const old = new Date(cluster.clock.now() - 120 * minute);
  for (const name of [id("a"), id("b"), "blockmgr-x", "data"]) {
    for (const directory of [join(root, name, "blockmgr"), join(root, name)]) utimesSync(directory, old, old);
  }
  const now = new Date(cluster.clock.now());
  utimesSync(join(root, id("c"), "blockmgr"), now, now);
  cluster.setPod(id("b"), "driver", "Running");
  start();
  await advance(minute);
  const remaining = () => names.filter((name) => existsSync(join(root, name)));
  await expect.poll(remaining).toEqual([id("b"), id("c"), "blockmgr-x", "data"]);
});

test("logs what cannot be removed, and removes the rest", async () => {
  const trees = nodeDirectoryTrees();
  const remove = async (directory: string) =>
    directory.endsWith(".removed-1") || directory.includes("app-1")
      ? { bytes: 3, problem: "EACCES: permission denied" }
      : await trees.remove(directory);
  const move = async (directory: string, target: string) => {
    if (directory.includes("app-1")) throw new Error("EACCES: permission denied");
    return await trees.move(directory, target);
  };
  const { cluster, root, register, start, removal, removed, incomplete, logged } = testCleaner(fakeCluster(), {
    ...{ list: trees.list, move, remove },
  });
  for (const name of [".removed-1", ".removed-2"]) mkdirSync(join(root, name));
  for (const appId of ["app-1", "app-2"]) {
    register(appId);
    cluster.setPod(appId, "driver", "Succeeded");
  }
  start();
  await removal();
  const remaining = () => [".removed-1", ".removed-2", "app-1", "app-2"].filter((name) => existsSync(join(root, name)));
  await expect.poll(remaining).toEqual([".removed-1", "app-1"]);
  await expect.poll(() => logged).toContain("The files of an application were removed.");
  const warnings = logged.filter((message) => /remain|completely/.test(message));
  expect(warnings.toSorted()).toEqual([
    ...["A directory cannot be removed completely.", "A directory cannot be removed completely."],
    "Files of an application remain.",
  ]);
  expect([removed, incomplete]).toEqual([["driverEnded"], ["driverEnded"]]);
});
