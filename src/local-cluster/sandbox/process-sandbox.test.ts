import { expect, test } from "vitest";
import { testHost } from "../../host/test-host.ts";
import { makeLinkRoot } from "./link-root.ts";
import { memoryWatch } from "./memory-watch.ts";
import { processSandbox } from "./process-sandbox.ts";
import { boundsOf } from "./resource-bounds.ts";
import type { Mount } from "./sandbox.ts";
import { startWatchdog } from "./watchdog.ts";

const bind = (source: string, target: string, more: object = {}): Mount => ({
  ...{ kind: "bind", source, target, readOnly: true },
  ...more,
});

test("builds a directory of links as the container's root", () => {
  const { files } = testHost({
    files: {
      "/home/spark/bin/run": "",
      "/home/spark/conf/old": "",
      "/volume/..data/app.conf": "path=/opt/spark/work",
      "/volume/app.conf": { link: "..data/app.conf" },
    },
  });
  const mounts = [
    bind("/home/spark", "/opt/spark"),
    bind("/volume", "/opt/spark/conf", { texts: true }),
    { kind: "temporary", target: "/opt/spark/work", mode: 0o777 } as const,
  ];
  makeLinkRoot(files, mounts, { root: "/c/root", rewrite: (text) => text.replaceAll("/opt", "/c/root/opt") });
  expect(files.readLink("/c/root/opt/spark/bin")).toBe("/home/spark/bin");
  expect(files.list("/c/root/opt/spark/conf")).toEqual(["app.conf"]);
  expect(files.readText("/c/root/opt/spark/conf/app.conf")).toBe("path=/c/root/opt/spark/work");
  expect(files.info("/c/root/opt/spark/work")?.kind).toBe("directory");
  expect(files.list("/home/spark/conf")).toEqual(["old"]);
});

test.each([
  ["a root of its own", [bind("/images/alpine", "/")], /^the image has a root of its own/],
  [
    "a mount inside a writable one, whose mount point would be visible outside",
    [bind("/home/me/data", "/data", { readOnly: false }), bind("/volume", "/data/sub")],
    /^\/data\/sub cannot be mounted inside \/data/,
  ],
])("rejects a container that requires mounts: %s", async (_, mounts, reason) => {
  const host = testHost({ spawn: () => undefined });
  const resources = memoryWatch(host);
  const sandbox = processSandbox({ host, watchdog: startWatchdog(host), resources });
  const start = await sandbox.start({
    ...{ id: "x", directory: "/c", command: ["true"], env: {}, workingDirectory: "/", hostname: "h" },
    ...{
      uid: 0,
      gid: 0,
      groups: [],
      capabilities: [],
      bounds: boundsOf({}),
      oomScoreAdjustment: 0,
      isRootReadOnly: false,
      annotations: {},
      mounts,
      onOutput: () => {},
    },
  });
  expect(start).toEqual({ started: false, startError: expect.stringMatching(reason) });
});
