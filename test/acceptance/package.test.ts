import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root, temporaryDirectory } from "./programs.ts";

const use = `import { isSubmitError, submit } from "firesteel";
import { defineStep } from "firesteel/features";
import { startCluster } from "firesteel/local-cluster";
const names: readonly string[] = [isSubmitError, submit, startCluster, defineStep].map((part) => part.name);
console.log(names.join(" "));
`;

/** Installs the package, as npm would publish it, into a consumer's project. */
function install(): string {
  const project = temporaryDirectory();
  const args = ["pack", "--ignore-scripts", "--pack-destination", project, "--json"];
  const [{ filename }] = parse<[{ filename: string }]>(
    execFileSync("npm", args, { cwd: root, encoding: "utf8" }),
  );
  const modules = join(project, "node_modules");
  mkdirSync(join(modules, "firesteel"), { recursive: true });
  const archive = join(project, filename);
  execFileSync("tar", ["-xzf", archive, "--strip-components=1", "-C", join(modules, "firesteel")]);
  const { dependencies } = parse<{ dependencies: object }>(readFileSync(join(root, "package.json"), "utf8"));
  const names = Object.keys(dependencies).map((name) => name.split("/")[0] ?? name);
  for (const name of new Set([...names, "@types", "undici-types"])) {
    symlinkSync(join(root, "node_modules", name), join(modules, name));
  }
  writeFileSync(join(project, "package.json"), '{ "type": "module" }');
  return project;
}

function parse<T>(text: string): T {
  return JSON.parse(text);
}

test("the package can be imported and type-checked, and its programs run", () => {
  const project = install();
  const installed = join(project, "node_modules", "firesteel");
  writeFileSync(join(project, "use.ts"), use);
  writeFileSync(join(project, "use.mjs"), use.replace(": readonly string[]", ""));
  const node = (...args: string[]) =>
    execFileSync(process.execPath, args, { cwd: project, encoding: "utf8" });
  expect(node("use.mjs")).toBe("isSubmitError submit startCluster defineStep\n");
  const compiler = join(root, "node_modules", "typescript", "bin", "tsc");
  const options = ["--strict", "--noEmit", "--module", "nodenext", "--target", "es2023", "--types", "node"];
  expect(node(compiler, ...options, "use.ts")).toBe("");
  expect(node(join(installed, "dist", "bin", "firesteel.cjs"), "--version")).toMatch(/^firesteel \d/);
});
