import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { copiedFiles } from "../images/copied-files.ts";
import { compile, installPackage } from "./installed-package.ts";
import { root } from "./programs.ts";

/** Uses of each entry point: the import, and an expression with its type. */
const entryPoints = {
  firesteel: `import { isSubmitError, type KubeClient, submit, type SubmitOutcome } from "firesteel";
export const names: readonly string[] = [isSubmitError.name, submit.name];
export const exit = (outcome: SubmitOutcome, client: KubeClient): unknown => [outcome, client];
console.log(names.join(" "));
`,
  "firesteel/features": `import { defineStep, type StepConf, type UserStep } from "firesteel/features";
export const step: UserStep = defineStep({ contribute: ({ appName }: StepConf) => ({ labels: { app: appName } }) });
console.log(defineStep.name);
`,
  "firesteel/local-cluster": `import { type ClusterOptions, type EmbeddedCluster, startCluster } from "firesteel/local-cluster";
export const start: (...input: Parameters<typeof startCluster>) => Promise<EmbeddedCluster> = startCluster;
export const options: Partial<ClusterOptions> = {};
console.log(startCluster.name);
`,
};

const moduleOptions = {
  node16: ["--module", "node16", "--moduleResolution", "node16"],
  bundler: ["--module", "esnext", "--moduleResolution", "bundler"],
};

let project = "";
let archive = "";

beforeAll(() => {
  project = mkdtempSync(join(tmpdir(), "firesteel-test-"));
  archive = installPackage(project);
  return () => rmSync(project, { recursive: true, force: true });
});

/** Runs Node in the project and returns its output, both streams. */
function node(...args: string[]): string {
  const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: project, encoding: "utf8" });
  return stdout + stderr;
}

function packedFiles(): readonly string[] {
  return readdirSync(join(project, "node_modules", "firesteel"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

describe("the packed archive", () => {
  test("has less than 2.6 MB and 800 files", () => {
    expect(statSync(archive).size).toBeLessThan(2_600_000);
    expect(packedFiles().length).toBeLessThan(800);
  });

  test("has no tests, no source maps and no path of the clone", () => {
    const files = packedFiles();
    expect(files.filter((path) => /\.test\.|\.map$/.test(path))).toEqual([]);
    expect(files.filter((path) => readFileSync(path).includes(root))).toEqual([]);
  });

  test("has all files that its images copy and its demos read", () => {
    const packed = join(project, "node_modules", "firesteel");
    const files = [...copiedFiles(), "examples/java-pi/JavaPi.java"];
    expect(files).toEqual(expect.arrayContaining(["LICENSE", "NOTICE", "dist", "package.json"]));
    expect(files.filter((path) => !existsSync(join(packed, path)))).toEqual([]);
  });

  test("has one file of types for each entry point, and the licenses of the dependencies", () => {
    const library = join(project, "node_modules", "firesteel", "dist", "lib");
    expect(readdirSync(library).filter((name) => name.endsWith(".d.ts"))).toEqual([
      "features.d.ts",
      "index.d.ts",
      "local-cluster.d.ts",
    ]);
    const licenses = readFileSync(join(project, "node_modules/firesteel/dist/THIRD-PARTY-LICENSES"), "utf8");
    for (const name of ["js-yaml", "kubernetes-types", "ws"]) expect(licenses).toContain(`\n${name} `);
  });
});

describe.each(Object.entries(entryPoints))("the entry point %s", (entryPoint, source) => {
  const name = entryPoint.replaceAll("/", "-");

  test.each(Object.entries(moduleOptions))("compiles with moduleResolution %s", (_, options) => {
    writeFileSync(join(project, `${name}.ts`), source);
    expect(compile(project, [...options, `${name}.ts`])).toBe("");
  });

  test("can be imported", () => {
    const names = [...source.matchAll(/(\w+)\.name/g)].map(([, exported]) => exported);
    const script = `const { ${names} } = await import("${entryPoint}"); console.log(${names.map((each) => `${each}.name`)});`;
    expect(node("--input-type=module", "--eval", script)).toBe(`${names.join(" ")}\n`);
  });
});

describe("the programs", () => {
  const program = (name: string) => join(project, "node_modules", "firesteel", "dist", "bin", `${name}.cjs`);

  test("run from an installed package", () => {
    expect(node(program("firesteel"), "--version")).toMatch(/^firesteel \d/);
  });

  test("run without the code that another version of V8 compiled", () => {
    const parts = join(dirname(program("firesteel")), "parts");
    for (const file of readdirSync(parts).filter((name) => name.endsWith(".cache")))
      truncateSync(join(parts, file), 64);
    expect(node(program("firesteel"), "--version")).toMatch(/^firesteel \d/);
    const render = ["render", "--master", "k8s://https://localhost", "--deploy-mode", "cluster", "--class", "Main"];
    const image = ["--conf", "spark.kubernetes.container.image=spark:4.3.0", "local:///app.jar"];
    expect(node(program("firesteel"), ...render, ...image)).toContain("kind: Pod");
  });
});
