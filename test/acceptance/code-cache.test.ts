import { spawn } from "node:child_process";
import {
  chmodSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { startAcceptingApi } from "./accepting-api.ts";
import { root, temporaryDirectory } from "./programs.ts";

/** Writes for each chunk to a file whether V8 accepted stored code: `[["base.cjs", true]]`. */
const preload = `
const vm = require("node:vm");
const { basename } = require("node:path");
const accepted = {};
const { Script } = vm;
vm.Script = function (source, options) {
  const script = new Script(source, options);
  accepted[basename(options.filename)] = options.cachedData !== undefined && !script.cachedDataRejected;
  return script;
};
process.once("exit", () => require("node:fs").writeFileSync(process.env.NOTE, JSON.stringify(accepted)));
`;

const chunks = ["base.cjs", "resolution.cjs", "submission.cjs"];
let scratch = "";
/** The programs as on another release of Node than at build time: without stored code that V8 accepts. */
let program = "";
let submission: readonly string[] = [];
let kubeconfig = "";

beforeEach(async () => {
  scratch = temporaryDirectory();
  cpSync(join(root, "dist", "bin"), join(scratch, "bin"), { recursive: true });
  const parts = join(scratch, "bin", "parts");
  for (const name of readdirSync(parts)) if (name.endsWith(".cache")) rmSync(join(parts, name));
  program = join(scratch, "bin", "spark-submit.cjs");
  writeFileSync(join(scratch, "preload.cjs"), preload);
  const api = await startAcceptingApi();
  kubeconfig = api.kubeconfig;
  submission = [
    ...["--master", `k8s://${api.server}`, "--deploy-mode", "cluster", "--class", "Main"],
    ...["--conf", "spark.kubernetes.container.image=spark"],
    ...["--conf", "spark.kubernetes.submission.waitAppCompletion=false", "local:///app.jar"],
  ];
});

interface Start {
  readonly exit: number | null;
  /** Chunks, with `true` if V8 accepted stored code. */
  readonly accepted: Readonly<Record<string, boolean>>;
}

let starts = 0;

function start(args: readonly string[], env: Readonly<Record<string, string>>): Promise<Start> {
  starts += 1;
  const note = join(scratch, `note-${starts}`);
  const child = spawn(process.execPath, ["--require", join(scratch, "preload.cjs"), program, ...args], {
    env: { PATH: process.env["PATH"], HOME: "/nonexistent", KUBECONFIG: kubeconfig, NOTE: note, ...env },
    stdio: "ignore",
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (exit) => resolve({ exit, accepted: parse(readFileSync(note, "utf8")) }));
  });
}

function parse<T>(text: string): T {
  return JSON.parse(text);
}

function storedIn(cache: string): readonly string[] {
  const code = join(cache, "code");
  const files = readdirSync(code).flatMap((name) => readdirSync(join(code, name)));
  return files.sort();
}

const all = (isAccepted: boolean) => Object.fromEntries(chunks.map((name) => [name, isAccepted]));

describe("on another release of Node than at build time", () => {
  test("the first start stores the compiled code, which the next start loads", async () => {
    const env = { FIRESTEEL_CACHE: temporaryDirectory() };
    expect(await start(submission, env)).toEqual({ exit: 0, accepted: all(false) });
    expect(storedIn(env.FIRESTEEL_CACHE)).toEqual(chunks);
    expect(await start(submission, env)).toEqual({ exit: 0, accepted: all(true) });
  });

  test("a submission adds its functions to what --version stored", async () => {
    const env = { FIRESTEEL_CACHE: temporaryDirectory() };
    await start(["--version"], env);
    const base = () => {
      const code = join(env.FIRESTEEL_CACHE, "code");
      return statSync(join(code, readdirSync(code)[0] ?? "", "base.cjs")).size;
    };
    const before = base();
    await start(submission, env);
    expect(base()).toBeGreaterThan(before);
  });

  test("a successful submission replaces what a failed one stored", async () => {
    const env = { FIRESTEEL_CACHE: temporaryDirectory() };
    const failed = await start(submission, { ...env, KUBECONFIG: "/nonexistent" });
    expect(failed.exit).toBe(1);
    const partial = chunks.map((name) => `${name}.partial`);
    expect(storedIn(env.FIRESTEEL_CACHE)).toEqual(expect.arrayContaining(partial));
    expect((await start(submission, env)).exit).toBe(0);
    expect(storedIn(env.FIRESTEEL_CACHE)).toEqual(expect.arrayContaining(chunks));
    expect(storedIn(env.FIRESTEEL_CACHE)).not.toEqual(expect.arrayContaining(partial));
  });

  test("concurrent starts leave complete files only", async () => {
    const env = { FIRESTEEL_CACHE: temporaryDirectory() };
    const ended = await Promise.all(Array.from({ length: 6 }, () => start(submission, env)));
    expect(ended.map(({ exit }) => exit)).toEqual(Array.from({ length: 6 }, () => 0));
    expect(storedIn(env.FIRESTEEL_CACHE)).toEqual(chunks);
    expect((await start(submission, env)).accepted).toEqual(all(true));
  });

  test("damaged code is compiled again and replaced", async () => {
    const env = { FIRESTEEL_CACHE: temporaryDirectory() };
    await start(submission, env);
    const code = join(env.FIRESTEEL_CACHE, "code");
    const directory = join(code, readdirSync(code)[0] ?? "");
    for (const name of chunks)
      writeFileSync(join(directory, name), readFileSync(join(directory, name)).subarray(0, 64));
    expect(await start(submission, env)).toEqual({ exit: 0, accepted: all(false) });
    expect((await start(submission, env)).accepted).toEqual(all(true));
  });

  test("keeps the code of at most six releases", async () => {
    const env = { FIRESTEEL_CACHE: temporaryDirectory() };
    for (let count = 0; count < 9; count += 1) {
      mkdirSync(join(env.FIRESTEEL_CACHE, "code", `x64-v1.${count}.0-0`), { recursive: true, mode: 0o700 });
    }
    await start(["--version"], env);
    expect(readdirSync(join(env.FIRESTEEL_CACHE, "code"))).toHaveLength(6);
    expect((await start(["--version"], env)).accepted).toEqual({ "base.cjs": true });
  });
});

describe("compiled code is neither stored nor loaded", () => {
  test("with FIRESTEEL_CODE_CACHE=off", async () => {
    const env = { FIRESTEEL_CACHE: temporaryDirectory(), FIRESTEEL_CODE_CACHE: "off" };
    expect((await start(["--version"], env)).exit).toBe(0);
    expect(readdirSync(env.FIRESTEEL_CACHE)).toEqual([]);
  });

  test.each(["/dev/null", "/proc/none", "relative"])("if the cache cannot be written: %s", async (directory) => {
    expect(await start(submission, { FIRESTEEL_CACHE: directory })).toEqual({ exit: 0, accepted: all(false) });
  });

  test("in a directory to which others can write", async () => {
    const env = { FIRESTEEL_CACHE: temporaryDirectory() };
    chmodSync(env.FIRESTEEL_CACHE, 0o777);
    await start(["--version"], env);
    expect(readdirSync(env.FIRESTEEL_CACHE)).toEqual([]);
  });

  test("if others can write to the stored files or put a link there", async () => {
    const env = { FIRESTEEL_CACHE: temporaryDirectory() };
    await start(submission, env);
    const code = join(env.FIRESTEEL_CACHE, "code");
    const directory = join(code, readdirSync(code)[0] ?? "");
    chmodSync(join(directory, "base.cjs"), 0o666);
    cpSync(join(directory, "submission.cjs"), join(scratch, "elsewhere"));
    rmSync(join(directory, "submission.cjs"));
    symlinkSync(join(scratch, "elsewhere"), join(directory, "submission.cjs"));
    expect((await start(submission, env)).accepted).toEqual({ ...all(false), "resolution.cjs": true });
    chmodSync(directory, 0o777);
    expect((await start(submission, env)).accepted).toEqual(all(false));
  });
});
