import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root, temporaryDirectory } from "./programs.ts";

const configuration = ["package.json", "package-lock.json", "tsconfig.json", "tsconfig.build.json"];

/** Copies everything that a build reads, and puts the files of an earlier build in `dist`. */
function copyProject(): string {
  const project = temporaryDirectory();
  for (const name of ["src", "scripts", ...configuration]) {
    cpSync(join(root, name), join(project, name), { recursive: true });
  }
  symlinkSync(join(root, "node_modules"), join(project, "node_modules"));
  mkdirSync(join(project, "dist", "bin"), { recursive: true });
  writeFileSync(join(project, "dist", "bin", "firesteel.cjs"), "old");
  cpSync(join(root, "dist", ".inputs"), join(project, "dist", ".inputs"));
  return project;
}

function setUp(project: string) {
  return spawnSync(process.execPath, [join(project, "scripts", "setup.mjs")], { cwd: project, encoding: "utf8" });
}

test("setup builds only if an input of the build has changed", () => {
  const project = copyProject();
  expect(setUp(project)).toMatchObject({ status: 0, stderr: "" });
  writeFileSync(join(project, "scripts", "build", "program.cjs"), "// changed\n", { flag: "a" });
  const built = setUp(project);
  expect(built.stderr).toContain("Building …");
  expect(built.status, built.stderr).toBe(0);
  expect(readFileSync(join(project, "dist", "bin", "firesteel.cjs"), "utf8")).toContain("// changed");
  expect(setUp(project)).toMatchObject({ status: 0, stderr: "" });
});

test("a failed build leaves nothing of an earlier one", () => {
  const project = copyProject();
  rmSync(join(project, "src", "bin", "firesteel.ts"));
  expect(setUp(project)).toMatchObject({ status: 1, stderr: expect.stringContaining("Building …") });
  expect(existsSync(join(project, "dist")) ? readdirSync(join(project, "dist")) : []).toEqual([]);
});
