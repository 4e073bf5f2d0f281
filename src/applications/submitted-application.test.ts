import { expect, test } from "vitest";
import { testHost } from "../host/test-host.ts";
import type { Overrides } from "./application-submission.ts";
import { readApplied } from "./applied-application.ts";
import { submittedApplication } from "./submitted-application.ts";

interface Change {
  readonly conf?: Readonly<Record<string, string>>;
  readonly profile?: Readonly<Record<string, string>>;
  readonly fields?: Overrides["fields"];
  readonly files?: Readonly<Record<string, string>>;
}

const document = { name: "job", app: "job.py", jars: ["lib/*.jar"], pyFiles: ["a.py"] };
const unchanged = { "/w/job.py": "1", "/w/lib/a.jar": "1", "/w/a.py": "1", "/w/driver.yaml": "1", "/w/env.txt": "1" };

function settingsOf(values: Readonly<Record<string, string>>) {
  return Object.entries(values).map(([key, value]) => ({ key, value, origin: { kind: "conf" as const } }));
}

function digestWith({ conf = {}, profile = {}, fields = {}, files = {} }: Change): string {
  const host = testHost({ cwd: "/w", env: { SPARK_CONF_DIR: "/conf" }, files: { ...unchanged, ...files } });
  const application = readApplied({ file: "job.yaml", document }, { options: {}, reservedKeys: "reject" });
  if (application.kind !== "application") throw new Error("not an application");
  const named = {
    "spark.kubernetes.driver.podTemplateFile": "driver.yaml",
    "spark.firesteel.pythonEnv": "env.txt",
    ...conf,
  };
  const overrides = {
    fields: { master: "k8s://https://h", ...fields },
    settings: settingsOf(named),
    profile: settingsOf(profile),
    verbose: false,
  };
  return submittedApplication({ host, overrides }, application).digest;
}

test.each<[string, Change]>([
  ["an option", { fields: { mainClass: "Other" } }],
  ["--conf", { conf: { "spark.executor.cores": "3" } }],
  ["a profile", { profile: { "spark.executor.cores": "3" } }],
  ["spark-defaults.conf", { files: { "/conf/spark-defaults.conf": "spark.executor.cores 3" } }],
  ["the main file", { files: { "/w/job.py": "2" } }],
  ["a file of pyFiles", { files: { "/w/a.py": "2" } }],
  ["a file of a pattern", { files: { "/w/lib/a.jar": "2" } }],
  ["a new file of a pattern", { files: { "/w/lib/b.jar": "1" } }],
  ["a pod template", { files: { "/w/driver.yaml": "2" } }],
  ["a Python environment", { files: { "/w/env.txt": "2" } }],
])("a change of %s is a change of the application", (_, change) => {
  expect(digestWith(change)).not.toBe(digestWith({}));
});

test.each<[string, Change]>([
  ["the master", { fields: { master: "k8s://https://other" } }],
  ["the context", { conf: { "spark.kubernetes.context": "other" } }],
  ["waiting", { conf: { "spark.kubernetes.submission.waitAppCompletion": "false" } }],
  ["a file that it does not name", { files: { "/w/other.py": "2" } }],
])("a change of %s is not a change of the application", (_, change) => {
  expect(digestWith(change)).toBe(digestWith({}));
});
