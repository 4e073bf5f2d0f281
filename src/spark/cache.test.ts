import { describe, expect, test } from "vitest";
import { cacheDirectory } from "../host/cache-directory.ts";
import { testHost } from "../host/test-host.ts";
import { inInstallDirectory, makeInstallDirectory, moveInstallation } from "./cache.ts";

describe("Firesteel's cache", () => {
  test("is in FIRESTEEL_CACHE, or else in the user's cache", () => {
    const at = (env: Record<string, string>) => cacheDirectory(testHost({ env, cwd: "/job" }));
    expect(at({ FIRESTEEL_CACHE: "/c", XDG_CACHE_HOME: "/x" })).toBe("/c");
    expect(at({ FIRESTEEL_CACHE: "c" })).toBe("/job/c");
    expect(at({ XDG_CACHE_HOME: "/x" })).toBe("/x/firesteel");
    expect(at({ XDG_CACHE_HOME: "not/absolute" })).toBe("/home/tester/.cache/firesteel");
    expect(at({})).toBe("/home/tester/.cache/firesteel");
  });

  test("removes directories of killed installations, and keeps that of a running one", () => {
    const host = testHost({
      user: { uid: 0 },
      files: { "/c/spark/.install-999-abc/part": "x", "/c/spark/4.3.0/RELEASE": "" },
      spawn: () => {},
    });
    const running = host.spawn("sleep", []);
    host.files.makeDirectory(`/c/spark/.install-${running.pid}-def`);
    const work = makeInstallDirectory(host, "/c/spark/4.1.4");
    expect(work.startsWith("/c/spark/.install-4242-")).toBe(true);
    expect(host.files.list("/c/spark")).toEqual(
      [`.install-${running.pid}-def`, work.slice("/c/spark/".length), "4.3.0"].sort(),
    );
  });

  test("removes the directory of an installation that a signal ends", async () => {
    const signals: unknown[] = [];
    const machine = testHost({ files: { "/c/spark": null } });
    const host = { ...machine, kill: (pid: number, signal: unknown) => signals.push([pid, signal]) > 0 };
    void inInstallDirectory(host, "/c/spark/4.3.0", () => new Promise(() => {}));
    expect(host.files.list("/c/spark")).toHaveLength(1);
    machine.raise("SIGINT");
    expect(host.files.list("/c/spark")).toEqual([]);
    expect(signals).toEqual([[host.pid, "SIGINT"]]);
  });

  test("replaces the remains of a partially deleted installation", () => {
    const host = testHost({ files: { "/c/new/a": "new", "/c/4.3.0/left": "" } });
    moveInstallation(host, { finished: "/c/new", target: "/c/4.3.0", isUsable: () => false });
    expect(host.files.list("/c/4.3.0")).toEqual(["a"]);
  });

  test("keeps the installation that was there first", () => {
    const host = testHost({ files: { "/c/new/a": "new", "/c/4.3.0/a": "old" } });
    const crowded = {
      ...host,
      files: {
        ...host.files,
        rename: () => {
          throw new Error("ENOTEMPTY");
        },
      },
    };
    const install = (target: string, isUsable: boolean) =>
      moveInstallation(crowded, { finished: "/c/new", target, isUsable: () => isUsable });
    install("/c/4.3.0", true);
    expect(host.files.readText("/c/4.3.0/a")).toBe("old");
    expect(() => install("/c/4.1.4", false)).toThrow("ENOTEMPTY");
  });
});
