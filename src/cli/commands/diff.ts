import { parseSparkVersion, sparkLines } from "../../conf/spark-version.ts";
import { isSubmitError, orThrow, submitError } from "../../errors/submit-error.ts";
import { differenceOf, type FieldChange } from "../../explain/difference.ts";
import { type Field, fieldsOf } from "../../explain/fields.ts";
import { plannedFields } from "../../explain/live-fields.ts";
import { redactionOf } from "../../explain/redact-field.ts";
import { buildSubmission } from "../../explain/submission-objects.ts";
import type { Host } from "../../host/host.ts";
import { type DrySubmission, drySubmission } from "../dry/dry-submission.ts";
import { printChanges, toPlainChanges } from "../dry/print-changes.ts";
import { splitLeadingOptions } from "../dry/split-leading-options.ts";
import { isHelpRequest } from "../is-help-request.ts";
import { printError } from "../print.ts";

const diffUsage = `Usage: firesteel diff [options] <spark-submit arguments> -- <spark-submit arguments>
       firesteel diff [options] --with-spark-version VERSION <spark-submit arguments>
       firesteel diff [options] --against NAMESPACE:POD <spark-submit arguments>
       firesteel diff -f FILE [options of apply]

Compare two command lines, one command line in two release lines of Spark, or a driver in a cluster (old) with the
driver that the command line, or apply with a file, would create (new). IDs, times and fields that only servers set are ignored. Only
--against and -f contact an API. Put the options of diff before the spark-submit arguments; the first -- separates two
submissions.

Options:
  --with-spark-version VERSION
                          Spark version of the second submission, e.g. 4.3 or 3.5.9
  --against NAMESPACE:POD driver pod to compare with, in the cluster of the command line
  -f, --file FILE         file with applications, which apply would submit; further options are those of apply
  --json                  JSON output

The exit code is 0 without a difference, 1 with a difference, and 2 after an error. Values of secrets are hidden.
`;

/** Exit codes, those of diff(1). */
const diffCodes = { same: 0, different: 1, error: 2 } as const;

/** Runs `firesteel diff`. @returns the exit code */
export async function runDiffCommand(host: Host, args: readonly string[]): Promise<number> {
  try {
    return await diff(host, args);
  } catch (error) {
    if (!isSubmitError(error)) throw error;
    host.stderr.write(printError(error, { form: "errorAndHint" }));
    return diffCodes.error;
  }
}

async function diff(host: Host, args: readonly string[]): Promise<number> {
  if (args.some((arg) => arg === "-f" || arg === "--file") && !args.includes("--")) {
    const { diffFiles } = await import("./diff-files.ts");
    return (await diffFiles(host, args)) ? diffCodes.different : diffCodes.same;
  }
  const { own, submission: submitArgs } = splitLeadingOptions(args, {
    flags: ["--json", "--help", "-h"],
    values: ["--with-spark-version", "--against"],
  });
  if (own.has("--help") || own.has("-h") || isHelpRequest(submitArgs.slice(0, 1))) {
    host.stdout.write(diffUsage);
    return diffCodes.same;
  }
  const against = own.value("--against");
  const version = own.value("--with-spark-version");
  const sides = await compareSides(host, submitArgs, { against, version });
  const changes = differenceOf(sides.old, sides.changed);
  const redaction = redactionOf(sides.dry.submission.request.conf);
  host.stdout.write(own.has("--json") ? toPlainChanges(changes, redaction) : printChanges(changes, redaction));
  return codeOf(changes);
}

function codeOf(changes: readonly FieldChange[]): number {
  return changes.length === 0 ? diffCodes.same : diffCodes.different;
}

interface Sides {
  readonly old: ReadonlyMap<string, Field>;
  readonly changed: ReadonlyMap<string, Field>;
  /** Submission whose settings determine which values are secrets. */
  readonly dry: DrySubmission;
}

/** Gives both sides the same IDs. */
const seed = "diff";

async function compareSides(
  host: Host,
  args: readonly string[],
  { against, version }: { against: string | undefined; version: string | undefined },
): Promise<Sides> {
  if (against !== undefined) return compareWithDriver(host, args, against);
  if (version !== undefined) return compareVersions(host, args, version);
  const separator = args.indexOf("--");
  if (separator < 0) throw submitError("SUBMIT_ERR_DIFF_ONE_SIDE", {});
  const before = await drySubmission(host, args.slice(0, separator), seed);
  const dry = await drySubmission(host, args.slice(separator + 1), seed);
  return { old: fieldsOf(before.objects()), changed: fieldsOf(dry.objects()), dry };
}

async function compareVersions(host: Host, args: readonly string[], text: string): Promise<Sides> {
  const version = parseSparkVersion(text);
  if (version === undefined) throw submitError("SUBMIT_ERR_SPARK_VERSION", { text, known: sparkLines });
  const dry = await drySubmission(host, args, seed);
  const { request } = dry.submission;
  const other = { ...dry.submission, request: { ...request, conf: request.conf.as(version) } };
  return { old: fieldsOf(dry.objects()), changed: fieldsOf(orThrow(buildSubmission(other))), dry };
}

async function compareWithDriver(host: Host, args: readonly string[], against: string): Promise<Sides> {
  const { readLiveDriver } = await import("../dry/live-driver.ts");
  const dry = await drySubmission(host, args, seed);
  const old = await readLiveDriver(host, dry.submission.request, against);
  return { old, changed: plannedFields(dry), dry };
}
