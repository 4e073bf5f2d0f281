import { describe, expect, test } from "vitest";
import { type Source, sources } from "./sources.ts";

const pureDirectories = [
  "errors",
  "values",
  "kube",
  "conf",
  "plan",
  "command-line",
  "features",
  "spec",
  "diagnosis",
  "explain",
];

/** Imported by `import()` alone. */
const webSockets = "src/kube-client/http/web-socket.ts";

const code = sources().filter(({ isTest }) => !isTest);

describe("what names the outside", () => {
  test("pure folders name no process, clock, chance, timer, network or module of Node", () => {
    const outside =
      /\b(process|globalThis|Date|performance|setTimeout|setInterval|setImmediate|queueMicrotask|fetch|require)\b|\bMath\.random\b|\bcrypto\b/;
    const pure = code.filter(({ directory }) => pureDirectories.includes(directory));
    expect(pure.flatMap((source) => namesIn(source, outside))).toEqual([]);
    expect(modulesOf(pure, /^node:/)).toEqual([]);
  });

  test("only the real machine names process, files, children, the clock and chance", () => {
    const names = ["node-host", "node-append-file", "node-content-files", "node-content-writer"];
    const machine = names.map((name) => `src/host/${name}.ts`);
    const others = code.filter(({ path, directory }) => !machine.includes(path) && directory !== "bin");
    const outside =
      /\bprocess\.|\bDate\.now\b|\bnew Date\(\)|\bperformance\.now\b|\bMath\.random\b|\brandomUUID\b|\brandomBytes\b|(?<!\.)\bset(Timeout|Interval)\b/;
    expect(others.flatMap((source) => namesIn(source, outside))).toEqual([]);
    expect(modulesOf(others, /^node:(fs|child_process|os|process|timers)\b/)).toEqual([]);
  });

  test("no file uses what costs start time or splits lines where it should not", () => {
    const slow = /\bfetch\(|\bnew (Request|Response|Headers)\(/;
    expect(code.flatMap((source) => namesIn(source, slow))).toEqual([]);
    expect(modulesOf(code, /^node:(readline|undici)\b|^undici$/)).toEqual([]);
  });

  test("the way of a submission needs no package but js-yaml, only lazily, and ws where a pod is entered", () => {
    const submitPath = [...pureDirectories, "host", "kube-client", "submit", "cli"];
    const found = code
      .filter(({ directory }) => submitPath.includes(directory))
      .flatMap(({ path, imports }) =>
        imports
          .filter(({ specifier, path: relative }) => relative === undefined && !specifier.startsWith("node:"))
          .filter(
            ({ specifier, lazy }) =>
              !specifier.startsWith("kubernetes-types/") &&
              !(specifier === "js-yaml" && lazy) &&
              !(specifier === "ws" && path === webSockets),
          )
          .map(({ specifier }) => `${path}: ${specifier}`),
      );
    expect(found).toEqual([]);
  });
});

function namesIn({ path, code: text }: Source, pattern: RegExp): readonly string[] {
  return text
    .split("\n")
    .filter((line) => pattern.test(line))
    .map((line) => `${path}: ${line.trim()}`);
}

function modulesOf(files: readonly Source[], pattern: RegExp): readonly string[] {
  return files.flatMap(({ path, imports }) =>
    imports
      .filter(({ specifier }) => pattern.test(specifier))
      .map(({ specifier }) => `${path}: ${specifier}`),
  );
}
