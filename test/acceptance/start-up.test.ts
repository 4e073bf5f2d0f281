import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { Script } from "node:vm";
import { describe, expect, test } from "vitest";
import { startAcceptingApi } from "./accepting-api.ts";
import { root, run, temporaryDirectory } from "./programs.ts";

/** Statistics that a program writes when it exits. */
interface Note {
  readonly modules: readonly string[];
  /** Size in bytes, by name. */
  readonly parts: Readonly<Record<string, number>>;
}

async function observed(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Note & { readonly exit: number | string }> {
  const note = join(temporaryDirectory(), "at-exit.json");
  const preload = `--require=${join(root, "scripts", "bench", "at-exit.cjs")}`;
  const { exit } = await run("spark-submit", args, {
    env: { NODE_OPTIONS: preload, FIRESTEEL_AT_EXIT: note, ...env },
  });
  return { exit, ...parseNote(readFileSync(note, "utf8")) };
}

function parseNote(text: string): Note {
  return JSON.parse(text);
}

function sizeOf(parts: Note["parts"]): number {
  return Object.values(parts).reduce((sum, size) => sum + size);
}

describe("a plain submission", () => {
  test("loads no module that only waiting, errors or rare options need", async () => {
    const { server, kubeconfig } = await startAcceptingApi();
    const args = [
      ...["--master", `k8s://${server}`, "--deploy-mode", "cluster", "--class", "Main"],
      ...["--conf", "spark.kubernetes.container.image=spark"],
      ...["--conf", "spark.kubernetes.submission.waitAppCompletion=false", "local:///app.jar"],
    ];
    const { exit, parts, modules } = await observed(args, { KUBECONFIG: kubeconfig });
    expect(exit).toBe(0);
    expect(Object.keys(parts).sort()).toEqual(["spark-submit.cjs", "submission.cjs", "understanding.cjs"]);
    expect(sizeOf(parts)).toBeLessThan(150_000);
    expect(modules).toContain("tls");
    const rare = /^(_?http|child_process|zlib|dns|tty|perf_hooks|readline|worker|inspector|repl|async_hooks)/;
    expect(modules.filter((name) => rare.test(name))).toEqual([]);
  });
});

describe("the start of spark-submit", () => {
  const directory = join(root, "dist", "bin");

  test("the first line runs Node with the system's certificate authorities", () => {
    const program = join(directory, "spark-submit.cjs");
    expect(statSync(program).mode & 0o111).toBe(0o111);
    expect(readFileSync(program, "utf8").split("\n")[0]).toBe("#!/usr/bin/env -S node --use-openssl-ca");
  });

  test("this Node accepts the code that V8 compiled at build time", () => {
    for (const name of ["spark-submit", "understanding", "submission"]) {
      const filename = join(directory, "parts", `${name}.cjs`);
      const cachedData = readFileSync(`${filename}.cache`);
      const script = new Script(readFileSync(filename, "latin1"), { filename, cachedData });
      expect(script.cachedDataRejected).toBe(false);
    }
  });

  test.each([["--version"], ["--help"]])("%s prints before any network module loads", async (option) => {
    const { exit, modules, parts } = await observed([option]);
    expect(exit).toBe(0);
    expect(Object.keys(parts)).not.toContain("understanding.cjs");
    expect(Object.keys(parts)).not.toContain("submission.cjs");
    expect(
      modules.filter((name) => /^(https?|tls|net|_http|_tls|dns|crypto|child_process|zlib)/.test(name)),
    ).toEqual([]);
  });

  test("a rejected command line loads no network module and few error texts", async () => {
    const { exit, modules, parts } = await observed(["--blarg"]);
    expect(exit).toBe(1);
    expect(modules.filter((name) => /^(https?|tls|net|_http|_tls|dns)/.test(name))).toEqual([]);
    expect(Object.keys(parts).sort()).toEqual(["spark-submit.cjs", "usage-errors.cjs"]);
    expect(sizeOf(parts)).toBeLessThan(36_000);
  });

  test("a submission without a valid master is rejected before submitting code loads", async () => {
    const { exit, parts } = await observed(["--master", "local", "--deploy-mode", "cluster", "app.jar"]);
    expect(exit).toBe(1);
    expect(Object.keys(parts).sort()).toEqual(["spark-submit.cjs", "understanding.cjs", "usage-errors.cjs"]);
    expect(sizeOf(parts)).toBeLessThan(76_000);
  });
});
