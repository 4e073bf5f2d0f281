import type { Digest } from "../values/staged-entry.ts";
import { planDriver } from "./driver-conf.ts";
import type { DependencyFacts } from "./facts.ts";
import { localDependencies } from "./local-dependencies.ts";
import { type TestSubmission, testFacts, testRequest } from "./test-driver.ts";

/** File system of a test: the content of a file, the size of one, or `null` for a directory, by path. */
export type Machine = Readonly<Record<string, string | number | null>>;

interface LocalSubmission extends Omit<TestSubmission, "facts"> {
  readonly machine: Machine;
}

function planLocalized({ machine, settings, ...submission }: LocalSubmission) {
  const initImage = { "spark.firesteel.staging.initContainer.image": "init:1" };
  const request = testRequest({ ...submission, settings: { ...initImage, ...settings } });
  const dependencies = localDependencies(request).map(({ path }) => found(machine[path]));
  return planDriver(request, { ...testFacts, dependencies });
}

function found(thing: string | number | null | undefined): DependencyFacts {
  if (thing === undefined) return { uuid: "u", sizeBytes: undefined };
  if (thing === null) return { uuid: "u", sizeBytes: 0 };
  const sizeBytes = typeof thing === "number" ? thing : thing.length;
  return { uuid: "u", sizeBytes, content: { digest: digestOf(String(thing)), isExecutable: thing === "#!" } };
}

/** Returns the digest that the machine's facts have for a content. */
export function digestOf(text: string): Digest {
  return `sha256:${Buffer.from(text).toString("hex").padEnd(64, "0").slice(0, 64)}`;
}

/** Plans a valid submission with local files. */
export function localizedDriver(submission: LocalSubmission) {
  const result = planLocalized(submission);
  if (!result.ok) throw new Error(result.issues.map(({ message }) => message).join("\n"));
  return result.value;
}

/** Returns what a valid submission stages. */
export function stagedFiles(submission: LocalSubmission) {
  return localizedDriver(submission).staged;
}

/** Returns the issues of a submission with local files. */
export function localizedIssues(submission: LocalSubmission) {
  const result = planLocalized(submission);
  return result.ok ? [] : result.issues;
}

/** Returns the error codes of a submission with local files. */
export function localizedCodes(submission: LocalSubmission): readonly string[] {
  return localizedIssues(submission).map(({ code }) => code);
}

/** URI of the directory that the driver mounts. */
export const dependencyDirectory = "file:///opt/spark-deps";
