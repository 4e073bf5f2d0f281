import { expect, test } from "vitest";
import type { Host } from "../../host/host.ts";
import type { TestChild } from "../../host/test-children.ts";
import { testHost } from "../../host/test-host.ts";
import { superviseHistoryServer } from "./supervise-history-server.ts";

const server = {
  ...{ spark: { home: "/spark", version: "4.3.0" }, javaHome: "/java", jars: [], properties: "" },
  settings: new Map([["spark.hadoop.fs.s3a.secret.key", "planted-secret"]]),
};
const bound = "INFO HistoryServer: Bound HistoryServer to 127.0.0.1, and started at http://127.0.0.1:";

test("a history server that ends is started again after a delay, and its log has no settings", async () => {
  const servers: TestChild[] = [];
  const host = testHost({
    spawn(child) {
      if (child.command !== "sh") servers.push(child);
    },
  });
  const logged: unknown[] = [];
  const stopping = new AbortController();
  const supervised = superviseHistoryServer(host, server, {
    log: (...entry) => logged.push(entry),
    signal: stopping.signal,
  });
  expect(supervised.port()).toBeUndefined();
  servers[0]?.write(2, `${bound}40001\n`);
  await host.clock.advance(0);
  expect(supervised.port()).toBe(40001);
  servers[0]?.write(2, 'Exception in thread "main" java.lang.OutOfMemoryError: Java heap space\n');
  servers[0]?.exit(1);
  await host.clock.advance(500);
  expect([supervised.port(), servers.length]).toEqual([undefined, 1]);
  await host.clock.advance(1000);
  expect(servers.length).toBe(2);
  servers[1]?.write(1, `${bound}40002\n`);
  await host.clock.advance(0);
  expect(supervised.port()).toBe(40002);
  stopping.abort();
  await supervised.ended;
  expect(servers[1]?.signals).toEqual(["SIGTERM"]);
  await host.clock.advance(60_000);
  expect(servers.length).toBe(2);
  expect(JSON.stringify(logged)).toContain("Java heap space");
  expect(JSON.stringify(logged)).not.toContain("planted-secret");
});

test("a history server that cannot start is started again after a delay, and leaves no files", async () => {
  const host = testHost({ spawn: () => {} });
  const full = new Error("ENOSPC: no space left on device");
  const failures = ["directory", "file"];
  const fail = (step: string) => {
    if (failures[0] !== step) return;
    failures.shift();
    throw full;
  };
  const files: Host["files"] = {
    ...host.files,
    makeTemporaryDirectory(prefix) {
      fail("directory");
      return host.files.makeTemporaryDirectory(prefix);
    },
    write(...call) {
      fail("file");
      host.files.write(...call);
    },
  };
  const logged: unknown[] = [];
  const stopping = new AbortController();
  const { ended } = superviseHistoryServer({ ...host, files }, server, {
    log: (...entry) => logged.push(entry),
    signal: stopping.signal,
  });
  await host.clock.advance(0);
  expect(logged).toEqual([["WARN", expect.stringContaining("started again"), { reason: full.message }]]);
  await host.clock.advance(1000);
  expect(logged.length).toBe(2);
  expect(host.files.list(files.temporaryRoot) ?? []).toEqual([]);
  expect(host.children).toEqual([]);
  await host.clock.advance(2000);
  expect(host.children[0]?.command).toBe("/spark/bin/spark-class");
  stopping.abort();
  await ended;
});

test("a history server whose files cannot be removed is started again", async () => {
  const servers: TestChild[] = [];
  const host = testHost({
    spawn(child) {
      if (child.command !== "sh") servers.push(child);
    },
  });
  const files: Host["files"] = {
    ...host.files,
    remove() {
      throw new Error("EROFS: read-only file system");
    },
  };
  const stopping = new AbortController();
  const supervised = superviseHistoryServer({ ...host, files }, server, { log: () => {}, signal: stopping.signal });
  servers[0]?.exit(1);
  await host.clock.advance(1000);
  expect(servers.length).toBe(2);
  stopping.abort();
  await supervised.ended;
});

test("a history server that ends with the gateway is not started again", async () => {
  const host = testHost({ spawn: () => {} });
  const logged: unknown[] = [];
  const stopping = new AbortController();
  const log = (...entry: unknown[]) => void logged.push(entry);
  const supervised = superviseHistoryServer(host, server, { log, signal: stopping.signal });
  stopping.abort();
  await supervised.ended;
  await host.clock.advance(60_000);
  expect(host.children.map(({ command, signals }) => [command, signals])).toEqual([
    ["/spark/bin/spark-class", ["SIGTERM"]],
    ["sh", []],
  ]);
  expect(logged).toEqual([]);
});

test("a history server that has ended gets no signals, which could reach another process", async () => {
  const host = testHost({ spawn: () => {} });
  const stopping = new AbortController();
  const supervised = superviseHistoryServer(host, server, { log: () => {}, signal: stopping.signal });
  host.children[0]?.exit(1);
  await host.clock.advance(0);
  stopping.abort();
  await supervised.ended;
  await host.clock.advance(60_000);
  expect(host.children.map(({ signals }) => signals)).toEqual([[], []]);
});
