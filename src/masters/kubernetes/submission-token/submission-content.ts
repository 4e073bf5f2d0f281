import { createHmac } from "node:crypto";
import { appSubmitTime, master } from "../../../conf/entries/app.ts";
import { firesteelSubmissionToken } from "../../../conf/entries/firesteel.ts";
import { waitAppCompletion } from "../../../conf/entries/watching.ts";
import type { DriverConf } from "../../../plan/driver-conf.ts";
import { waitEntries } from "../../wait-options.ts";
import { connectionEntries } from "../connect/connection-options.ts";

/** Digests of the parts of a submission, e.g. `{"arguments": "0f3a…", "spark.executor.memory": "77b1…"}`. */
export type SubmissionContent = ReadonlyMap<string, string>;

/** Settings of connection and waiting, which may change when a submission is sent again. */
const attemptKeys: ReadonlySet<string> = new Set([
  ...[appSubmitTime, master, waitAppCompletion, firesteelSubmissionToken].map(({ key }) => key),
  ...[...connectionEntries, ...waitEntries].map(({ key }) => key),
]);

/** Computes the content of a submission. Digests are keyed with the token, so that they reveal nothing without it. */
export function submissionContent(token: string, driver: DriverConf): SubmissionContent {
  const { conf, facts, staged, appResource, mainClass, appArgs, proxyUser = "" } = driver;
  const digest = (value: unknown) => {
    const text = JSON.stringify(value) ?? "";
    return createHmac("sha256", token).update(text).digest("hex").slice(0, 12);
  };
  const localized = staged.localized?.entries.map(({ kind, name, digest }) => [kind, name, digest]);
  const settings = conf.settings().filter(({ key }) => !attemptKeys.has(key));
  return new Map<string, string>([
    ["application", digest(appResource)],
    ["main class", digest(mainClass)],
    ["arguments", digest(appArgs)],
    ["proxy user", digest(proxyUser)],
    ["pod templates", digest([facts.driverTemplate, facts.executorTemplateText])],
    ["uploaded files", digest(staged.uploads.map(({ path, sizeBytes }) => [path, sizeBytes]))],
    ...(localized === undefined ? [] : [["localized files", digest(localized)] as const]),
    ...settings.map(({ key, value }): [string, string] => [key, digest(value)]),
  ]);
}

/** Prints the content as the annotation of a pod. */
export function printContent(content: SubmissionContent): string {
  return JSON.stringify(Object.fromEntries(content));
}

/** Returns the parts that differ from the content in the annotation; none if the annotation is not valid. */
export function differingParts(content: SubmissionContent, annotation: string | undefined): readonly string[] {
  const earlier = parseContent(annotation);
  if (earlier === undefined) return [];
  return [...new Set([...content.keys(), ...earlier.keys()])].filter((part) => content.get(part) !== earlier.get(part));
}

function parseContent(annotation: string | undefined): SubmissionContent | undefined {
  try {
    const value: unknown = JSON.parse(annotation ?? "");
    if (typeof value !== "object" || value === null) return undefined;
    return new Map(Object.entries(value).map(([part, digest]) => [part, String(digest)]));
  } catch {
    return undefined;
  }
}
