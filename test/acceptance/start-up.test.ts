import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { Script } from "node:vm";
import { describe, expect, test } from "vitest";
import { root, run, temporaryFolder } from "./programs.ts";

/** What a program notes about itself when it ends. */
async function observed(
  args: readonly string[],
): Promise<{ readonly exit: number | string; readonly modules: readonly string[] }> {
  const note = join(temporaryFolder(), "at-exit.json");
  const preload = `--require=${join(root, "scripts", "bench", "at-exit.cjs")}`;
  const { exit } = await run("spark-submit", args, {
    env: { NODE_OPTIONS: preload, FIRESTEEL_AT_EXIT: note },
  });
  return { exit, modules: parseNote(readFileSync(note, "utf8")).modules };
}

function parseNote(text: string): { modules: readonly string[] } {
  return JSON.parse(text);
}

describe("the start of spark-submit", () => {
  const folder = join(root, "dist", "bin");

  test("its parts are small, and it names Node with the system's roots in its first line", () => {
    const program = join(folder, "spark-submit.cjs");
    expect(statSync(program).mode & 0o111).toBe(0o111);
    expect(readFileSync(program, "utf8").split("\n")[0]).toBe("#!/usr/bin/env -S node --use-openssl-ca");
    const size = (name: string) => statSync(join(folder, "parts", `${name}.cjs`)).size;
    expect(size("spark-submit")).toBeLessThan(110_000);
    expect(size("submission")).toBeLessThan(220_000);
    expect(size("yaml")).toBeLessThan(110_000);
  });

  test("what V8 compiled at build time is accepted by this Node", () => {
    for (const name of ["spark-submit", "submission", "yaml"]) {
      const filename = join(folder, "parts", `${name}.cjs`);
      const cachedData = readFileSync(`${filename}.cache`);
      const script = new Script(readFileSync(filename, "latin1"), { filename, cachedData });
      expect(script.cachedDataRejected).toBe(false);
    }
  });

  test.each([["--version"], ["--help"]])(
    "%s answers before anything of the network loads",
    async (option) => {
      const { exit, modules } = await observed([option]);
      expect(exit).toBe(0);
      expect(
        modules.filter((name) => /^(https?|tls|net|_http|_tls|dns|crypto|child_process|zlib)/.test(name)),
      ).toEqual([]);
    },
  );

  test("a refused command line loads nothing of the network", async () => {
    const { exit, modules } = await observed(["--blarg"]);
    expect(exit).toBe(1);
    expect(modules.filter((name) => /^(https?|tls|net|_http|_tls|dns)/.test(name))).toEqual([]);
  });
});
