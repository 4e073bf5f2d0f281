import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { publicNames } from "../../scripts/docs/public-names.ts";
import { compile, installPackage } from "./installed-package.ts";

/** A user's program. Each line after `// wrong:` must not compile, and all others must. */
const program = `import {
  type Application, type ApplicationOutcome, Firesteel, FiresteelError, type SparkSettings, type SubmitOptions,
} from "firesteel";
import { startCluster } from "firesteel/local-cluster";

export const valid: SparkSettings<"4.3"> = {
  "spark.executor.instances": 4,
  "spark.executor.cores": "2",
  "spark.executor.memory": "8g",
  "spark.driver.memory": "512MiB",
  "spark.driver.memoryOverhead": 1024,
  "spark.kubernetes.trust.certificates": true,
  "spark.dynamicAllocation.enabled": "true",
  "spark.jars": ["a.jar", "b.jar"],
  "spark.files": "a,b",
  "spark.kubernetes.container.image.pullPolicy": "Always",
  "spark.firesteel.startTimeout": "30s",
  "spark.kubernetes.driver.label.team": "billing",
  "spark.kubernetes.driver.volumes.emptyDir.scratch.mount.path": "/scratch",
  "spark.sql.shuffle.partitions": 200,
  "spark.executor.pyspark.memory": "\${spark.executor.memory}",
  "spark.kubernetes.securityContext.allowPrivilegeEscalation": false,
};

// wrong: a misspelled key
export const misspelled: SparkSettings = { "spark.executor.memroy": "8g" };
// wrong: a key of another library
export const foreign: SparkSettings = { "spark.mycompany.team": "billing" };
// wrong: a number for a truth value
export const truth: SparkSettings = { "spark.kubernetes.trust.certificates": 1 };
// wrong: a text for a number
export const count: SparkSettings = { "spark.executor.instances": "four" };
// wrong: a truth value for a number
export const cores: SparkSettings = { "spark.executor.cores": true };
// wrong: an unknown unit
export const size: SparkSettings = { "spark.executor.memory": "8 gigs" };
// wrong: a duration for a size
export const spans: SparkSettings = { "spark.driver.memory": "30s" };
// wrong: a size for a duration
export const wait: SparkSettings = { "spark.firesteel.startTimeout": "8g" };
// wrong: an unknown choice
export const choice: SparkSettings = { "spark.kubernetes.container.image.pullPolicy": "Sometimes" };
// wrong: an object
export const object: SparkSettings = { "spark.kubernetes.driver.label.team": { name: "billing" } };
// wrong: a setting since 4.3
export const early: SparkSettings<"4.2"> = { "spark.kubernetes.securityContext.allowPrivilegeEscalation": false };
// wrong: a setting until 4.0
export const late: SparkSettings<"4.1"> = { "spark.kubernetes.pyspark.pythonVersion": "3" };
// wrong: an unsupported line
export const old: SparkSettings<"2.4"> = {};
export const anyLine: SparkSettings = { "spark.kubernetes.pyspark.pythonVersion": "3" };

export async function run(memory: string): Promise<ApplicationOutcome> {
  await using firesteel = new Firesteel({ namespace: "jobs", sparkVersion: "4.1" });
  const options: SubmitOptions<"4.1"> = { app: "local:///opt/app.py", extraConf: { "spark.executor.memory": memory } };
  const application: Application = await firesteel.submit({ ...options, conf: { "spark.executor.cores": 2 } });
  // wrong: the client is of an earlier line
  await firesteel.submit({ app: "a.py", conf: { "spark.kubernetes.securityContext.allowPrivilegeEscalation": true } });
  // wrong: app is required
  await firesteel.submit({ args: [] });
  // wrong: a list of files
  await firesteel.submit({ app: "a.py", files: "a,b" });
  // wrong: the state of a handle cannot be set
  application.state = "running";
  for await (const line of application.logs({ signal: AbortSignal.timeout(1000) })) console.log(line.length);
  for await (const { type, application: changed } of firesteel.watch()) console.log(type, changed.appName);
  const listed = await firesteel.list({ namespace: { all: true }, states: ["running"] });
  // wrong: an unknown state
  await firesteel.list({ states: ["stopped"] });
  return listed.length > 0 ? application.wait() : application.wait({ diagnose: false });
}

export function describe(error: unknown): string {
  if (!(error instanceof FiresteelError)) return "unknown";
  // wrong: an unknown code
  if (error.code === "SUBMIT_ERR_OTHER") return "";
  switch (error.kind) {
    case "unreachable":
    case "timeout":
      return "later";
    // wrong: an unknown kind
    case "strange":
      return "";
    default:
      return error.issues.map(({ code, message, hint }) => [code, message, hint].join()).join();
  }
}

export async function onLocalCluster(options: Parameters<typeof startCluster>): Promise<Firesteel> {
  const cluster = await startCluster(...options);
  return new Firesteel({ master: \`k8s://\${cluster.url}\`, credentials: cluster });
}
`;

/** Values that examples use without creating them. */
const prelude = `
declare const firesteel: Firesteel;
declare const application: Application;
declare const failure: SubmitError;
declare const error: unknown;
declare const invocation: SubmitInvocation;
declare const request: SubmitRequest;
declare const connection: ConnectOptions;
declare const driver: DriverConf;
declare const cluster: EmbeddedCluster;
declare const pem: string;
declare const token: string;
`;

/** A program with the example of each public name and of its members in a function of its own. */
function exampleProgram(): string {
  const names = publicNames();
  const examples = names.flatMap(({ example, members }) => [example, ...members.map((member) => member.example)]);
  return [
    `import { ${names.map(({ name }) => name).join(", ")} } from "firesteel";`,
    'import type { EmbeddedCluster } from "firesteel/local-cluster";',
    prelude,
    ...examples.map((example = "", index) => {
      const code = example.replace(/^import .*$/gm, "");
      return `export async function example${index}() {\n${code}\n}\n`;
    }),
  ].join("\n");
}

let project = "";

beforeAll(() => {
  project = mkdtempSync(join(tmpdir(), "firesteel-test-"));
  installPackage(project);
  return () => rmSync(project, { recursive: true, force: true });
});

test.each([
  ["node16", ["--module", "node16", "--moduleResolution", "node16"]],
  ["bundler", ["--module", "esnext", "--moduleResolution", "bundler"]],
  ["nodenext, with exact optional properties", ["--module", "nodenext", "--exactOptionalPropertyTypes"]],
])("wrong keys and values do not compile, and correct programs do: %s", (_, options) => {
  writeFileSync(join(project, "program.ts"), program.replaceAll("// wrong:", `// @ts-${"expect"}-error:`));
  expect(compile(project, [...options, "--lib", "es2023,esnext.disposable", "program.ts"])).toBe("");
});

test("the example of every public name compiles", () => {
  writeFileSync(join(project, "examples.ts"), exampleProgram());
  const options = ["--module", "nodenext", "--lib", "es2023,esnext.disposable", "examples.ts"];
  expect(compile(project, options)).toBe("");
});
