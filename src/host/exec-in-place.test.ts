import { describe, expect, test } from "vitest";
import { execInPlace } from "./exec-in-place.ts";
import type { TestChild } from "./test-children.ts";
import { testHost } from "./test-host.ts";

const successor = { command: "java", args: ["-version"], env: { A: "1" } };

function machine(files: Readonly<Record<string, string>> = {}) {
  const children = new Map<string, TestChild>();
  const host = testHost({ files, spawn: (child) => children.set(child.command, child) });
  const ended = execInPlace(host, successor);
  const childOf = (command: string) => {
    const child = children.get(command);
    if (child === undefined) throw new Error(`${command} was not started`);
    return child;
  };
  return { host, ended, java: childOf("java"), guard: childOf("sh") };
}

const inForeground = "4242 (node) S 1 4242 4242 34816 4242 0";
const inBackground = "4242 (a (b) c) S 1 4242 4000 34816 4000 0";

describe("the program that takes our place", () => {
  test("inherits streams, has its own environment, and sets the exit code", async () => {
    const { ended, java } = machine();
    expect(java.args).toEqual(["-version"]);
    expect(java.options).toEqual({ env: { A: "1" }, stdin: "inherit", stdout: "inherit", stderr: "inherit" });
    java.exit(7);
    expect(await ended).toEqual({ code: 7, error: undefined });
  });

  test("gets the signals that we get", async () => {
    for (const signal of ["SIGHUP", "SIGINT", "SIGQUIT", "SIGTERM"] as const) {
      const { host, ended, java } = machine({ "/proc/4242/stat": inBackground });
      expect(host.raise(signal)).toBe(true);
      expect(java.signals).toEqual([signal]);
      await ended;
      expect(host.raise(signal)).toBe(false);
    }
  });

  test("gets from the terminal itself what is typed there", async () => {
    const { host, ended, java } = machine({ "/proc/4242/stat": inForeground });
    host.raise("SIGINT");
    host.raise("SIGQUIT");
    expect(java.signals).toEqual([]);
    host.raise("SIGTERM");
    expect(java.signals).toEqual(["SIGTERM"]);
    await ended;
  });

  test("is killed by a guard of its own group when we are gone without a word", async () => {
    const { ended, java, guard } = machine();
    expect(guard.options).toMatchObject({ stdin: "pipe", detached: true });
    expect(guard.args.at(-1)).toBe(String(java.pid));
    expect(guard.input()).toBe("");
    java.exit(0);
    await ended;
    expect(guard.input()).toBe("ended\n");
  });

  test("that does not exist is reported", async () => {
    const host = testHost({ spawn: () => "missing" });
    expect(await execInPlace(host, successor)).toMatchObject({ code: 127, error: "spawn java ENOENT" });
    expect(host.children.map(({ command }) => command)).toEqual(["java"]);
  });
});
