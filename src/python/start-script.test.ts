import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { startScript } from "./start-script.ts";

/** Runs the script of an environment for Python 3.11 with the programs of an image, as `PROGRAM PYTHONPATH`. */
function run(programs: Readonly<Record<string, string>>, pythonPath?: string) {
  const root = mkdtempSync(join(tmpdir(), "firesteel-python-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  mkdirSync(join(root, "env", "bin"), { recursive: true });
  mkdirSync(join(root, "programs"));
  const write = (path: string, text: string) => {
    writeFileSync(path, text);
    chmodSync(path, 0o755);
  };
  write(join(root, "env", "bin", "python"), startScript("3.11"));
  for (const [name, text] of Object.entries(programs)) write(join(root, "programs", name), `#!/bin/sh\n${text}\n`);
  write(join(root, "programs", "dirname"), '#!/bin/sh\necho "${2%/*}"\n');
  const env = { PATH: join(root, "programs"), ...(pythonPath === undefined ? {} : { PYTHONPATH: pythonPath }) };
  const { stdout, stderr, status } = spawnSync("./env/bin/python", ["a b"], { cwd: root, env, encoding: "utf8" });
  return { status, stderr, stdout: stdout.replaceAll(root, "ROOT") };
}

const show = 'echo "$0 $1 $PYTHONPATH"';

test("starts the image's release with the packages after the modules of Spark", () => {
  expect(run({ "python3.11": show, python3: "exit 9" })).toMatchObject({
    stdout: "ROOT/programs/python3.11 a b ROOT/env/site-packages\n",
    status: 0,
  });
  expect(run({ "python3.11": show }, "/spark").stdout).toContain(" /spark:ROOT/env/site-packages");
});

test("starts python3 if it is that release", () => {
  const python3 = `case $1 in -c) echo 3.11;; *) ${show};; esac`;
  expect(run({ python3 }).stdout).toBe("ROOT/programs/python3 a b ROOT/env/site-packages\n");
});

test("fails with another release, and names the setting", () => {
  const { status, stderr } = run({ python3: "echo 3.9" });
  expect(status).toBe(1);
  expect(stderr).toContain("is for Python 3.11, but the image has Python 3.9");
  expect(stderr).toContain("spark.firesteel.pythonEnv.version=3.9");
});

test("fails in an image without Python", () => {
  expect(run({})).toMatchObject({ status: 127, stderr: expect.stringContaining("The image has no Python") });
});
