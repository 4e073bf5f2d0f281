import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { root } from "./programs.ts";

/** In `node_modules`, so that the bundle finds packages. */
const bundle = mkdtempSync(join(root, "node_modules", ".fuzz-"));
afterAll(() => rmSync(bundle, { recursive: true, force: true }));

/** Runs the fuzzer as `npm run fuzz` does. */
function fuzz(args: readonly string[]) {
  const command = ["scripts/run-ts.mjs", "scripts/fuzz.ts", "--bundle", bundle, ...args];
  const { status, stdout, stderr } = spawnSync(process.execPath, command, { cwd: root, encoding: "utf8" });
  return { status, output: stdout + stderr };
}

test("parsers handle their seeds and 200 inputs each", () => {
  const { status, output } = fuzz(["--inputs", "200", "--seed", "1"]);
  expect(output).toMatch(/\d+ inputs, 0 findings, seed 1\.\n/);
  expect(status).toBe(0);
});

test("reports inputs with each kind of defect, and keeps them", () => {
  const directory = mkdtempSync(join(tmpdir(), "fuzz-"));
  const defects = ["error", "slow", "memory", "heap", "wait", "later"];
  for (const defect of defects) writeFileSync(join(directory, defect), `${defect} and more`);
  const inputs = defects.flatMap((defect) => ["--input", join(directory, defect)]);
  const { status, output } = fuzz(["--target", "self-test", ...inputs]);
  expect(status).toBe(1);
  expect([...output.matchAll(/^self-test: (\D.*)$/gm)].map(([, title]) => title)).toEqual([
    "TypeError at Object.run: A defect.",
    "An input took more than one second of processor time",
    "MemoryError at memoryError: The input took more than … MB.",
    // The collection of garbage can exceed the time limit first.
    expect.stringMatching(/reaching memory limit|more than one second/),
    "An input does not end",
    "An error outside of the call: Not awaited.",
  ]);
  const kept = [...output.matchAll(/--target self-test --input (\S+)/g)].map(([, file = ""]) =>
    readFileSync(file, "utf8"),
  );
  expect(kept.map((text) => text.replace(" and more", ""))).toEqual(defects);
});
