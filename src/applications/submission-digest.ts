import * as app from "../conf/entries/app.ts";
import { podTemplateFile } from "../conf/entries/driver.ts";
import { firesteelPythonEnv } from "../conf/entries/firesteel.ts";
import { waitAppCompletion } from "../conf/entries/watching.ts";
import type { Setting } from "../conf/setting.ts";
import { connectionEntries } from "../masters/kubernetes/connect/connection-options.ts";
import { waitEntries } from "../masters/wait-options.ts";
import { fieldNames, submitField } from "../plan/submit-fields.ts";
import type { ApplicationSubmission } from "./application-submission.ts";
import { digestOf } from "./digest-of.ts";
import { localContents } from "./local-contents.ts";

/** Settings that do not change the driver: those of the connection and of waiting. */
const ignored: ReadonlySet<string> = new Set(
  [app.master, waitAppCompletion, ...connectionEntries, ...waitEntries].map(({ key }) => key),
);

/** Settings that name files of this machine. */
const fileEntries = [
  ...[app.jars, app.files, app.archives, app.submitPyFiles, firesteelPythonEnv],
  ...[podTemplateFile.driver, podTemplateFile.executor],
];

/**
 * Returns a digest that changes if a setting of a submission from any source, or a file of this machine that it names, changes.
 *
 * @param settings the merged settings of the submission
 */
export function submissionDigest(
  { host, invocation }: ApplicationSubmission,
  settings: ReadonlyMap<string, Setting>,
): string {
  const values = new Map([...settings].map(([key, { value }]) => [key, value]));
  for (const name of fieldNames()) {
    const value = invocation.fields[name];
    if (value !== undefined) values.set(submitField(name).entry?.key ?? name, value);
  }
  for (const key of ignored) values.delete(key);
  const lists = [invocation.resource, ...fileEntries.map(({ key }) => values.get(key) ?? "")];
  return digestOf({ values: Object.fromEntries(values), contents: localContents(host, lists) });
}
