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
  "spark-application",
];

/** Files that are imported only by `import()`. */
const webSockets = "src/kube-client/http/web-socket.ts";

/** Loaded only with a bucket or with Maven packages. */
const xml = "src/values/xml.ts";

/** Bundles of applications, which are written and read on demand. */
const archive = "src/masters/kubernetes/archive/";

/** Plans of single cluster managers, such as `src/masters/yarn/plan/`. */
const planOfMaster = /^src\/masters\/[^/]+\/plan\//;

/** The page of the gateway's dashboard, which runs in browsers. */
const inBrowser = /^src\/gateway\/dashboard\/page\//;

const code = sources().filter(({ isTest, path }) => !isTest && !inBrowser.test(path));

describe("access to the machine", () => {
  test("pure directories use no process, clock, randomness, timer, network or Node module", () => {
    const outside =
      /\b(process|globalThis|Date|performance|setTimeout|setInterval|setImmediate|queueMicrotask|fetch|require)\b|\bMath\.random\b|\bcrypto\b/;
    const pure = code.filter(isPure);
    expect(pure.flatMap((source) => namesIn(source, outside))).toEqual([]);
    expect(modulesOf(pure, /^node:/)).toEqual([]);
  });

  test("only the host uses process, files, child processes, clock and randomness", () => {
    const names = [
      "node-host",
      "node-child-process",
      "node-append-file",
      "node-content-files",
      "node-content-writer",
      "node-socket-opener",
      "node-disk-size",
      "node-block-files",
      "node-directory-trees",
      "node-file-sender",
      "node-gssapi",
    ];
    const machine = names.map((name) => `src/host/${name}.ts`);
    const others = code.filter(({ path, directory }) => !machine.includes(path) && directory !== "bin");
    const outside =
      /\bprocess\.|\bDate\.now\b|\bnew Date\(\)|\bperformance\.now\b|\bMath\.random\b|\brandomUUID\b|\brandomBytes\b|(?<!\.)\bset(Timeout|Interval)\b/;
    expect(others.flatMap((source) => namesIn(source, outside))).toEqual([]);
    expect(modulesOf(others, /^node:(fs|child_process|os|process|timers)\b/)).toEqual([]);
  });

  test("no file uses APIs that cost startup time or split lines wrongly", () => {
    const slow = /\bfetch\(|\bnew (Request|Response|Headers)\(/;
    // The libraries of OpenID Connect need responses of the Fetch API. A gateway with --auth oidc loads them, and nothing else.
    const others = code.filter(({ path }) => path !== "src/gateway/oidc/issuer-fetch.ts");
    expect(others.flatMap((source) => namesIn(source, slow))).toEqual([]);
    expect(modulesOf(code, /^node:(readline|undici)\b|^undici$/)).toEqual([]);
  });

  test("only the authentication by OpenID Connect loads its libraries", () => {
    const others = code.filter(({ path }) => !path.startsWith("src/gateway/oidc/"));
    expect(modulesOf(others, /^(openid-client|jose)$/)).toEqual([]);
  });

  test("the submit path loads only js-yaml, lazily, and ws to enter a pod", () => {
    const submitPath = [...pureDirectories, "host", "kube-client", "resolve", "masters", "cli"];
    const found = code
      .filter(({ directory }) => submitPath.includes(directory))
      .flatMap(({ path, imports }) =>
        imports
          .filter(({ specifier, path: relative }) => relative === undefined && !specifier.startsWith("node:"))
          .filter(
            ({ specifier, lazy }) =>
              !specifier.startsWith("kubernetes-types/") &&
              !(specifier === "js-yaml" && lazy) &&
              !(specifier === "ws" && path === webSockets) &&
              !(specifier === "koffi" && lazy && path === "src/host/node-file-sender.ts") &&
              !(specifier === "modern-tar" && lazy && path.startsWith(archive)) &&
              !(specifier === "saxes" && path === xml),
          )
          .map(({ specifier }) => `${path}: ${specifier}`),
      );
    expect(found).toEqual([]);
  });
});

function isPure({ path, directory }: Source): boolean {
  return pureDirectories.includes(directory) || planOfMaster.test(path);
}

function namesIn({ path, code: text }: Source, pattern: RegExp): readonly string[] {
  return text
    .split("\n")
    .filter((line) => pattern.test(line))
    .map((line) => `${path}: ${line.trim()}`);
}

function modulesOf(files: readonly Source[], pattern: RegExp): readonly string[] {
  return files.flatMap(({ path, imports }) =>
    imports.filter(({ specifier }) => pattern.test(specifier)).map(({ specifier }) => `${path}: ${specifier}`),
  );
}
