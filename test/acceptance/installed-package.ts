import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { root } from "./programs.ts";

/** Installs the package in a project, as npm would publish it, with its declared dependencies. Returns the archive. */
export function installPackage(project: string): string {
  const args = ["pack", "--ignore-scripts", "--pack-destination", project, "--json"];
  const [{ filename }] = parse<[{ filename: string }]>(execFileSync("npm", args, { cwd: root, encoding: "utf8" }));
  const modules = join(project, "node_modules");
  mkdirSync(join(modules, "firesteel"), { recursive: true });
  const archive = join(project, filename);
  execFileSync("tar", ["-xzf", archive, "--strip-components=1", "-C", join(modules, "firesteel")]);
  const { dependencies } = parse<{ dependencies: object }>(readFileSync(join(root, "package.json"), "utf8"));
  for (const name of Object.keys(dependencies)) {
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(join(root, "node_modules", name), join(modules, name));
  }
  writeFileSync(join(project, "package.json"), '{ "type": "module" }');
  return archive;
}

function parse<T>(text: string): T {
  return JSON.parse(text);
}

/** Compiles files of a project as strictly as possible, the declarations of all packages included. Returns the errors. */
export function compile(project: string, args: readonly string[]): string {
  const compiler = join(root, "node_modules", "typescript", "bin", "tsc");
  const strict = ["--strict", "--noEmit", "--skipLibCheck", "false", "--target", "es2023", "--types", "node"];
  const { stdout, stderr } = spawnSync(process.execPath, [compiler, ...strict, ...args], {
    cwd: project,
    encoding: "utf8",
  });
  return stdout + stderr;
}
