import { parseSparkVersion, sparkLines } from "../../conf/spark-version.ts";
import { isSubmitError, orThrow, submitError } from "../../errors/submit-error.ts";
import { differenceOf, type FieldChange } from "../../explain/difference.ts";
import { type Field, fieldsOf } from "../../explain/fields.ts";
import { comparableFields } from "../../explain/live-fields.ts";
import { redactionOf } from "../../explain/redact-field.ts";
import { buildSubmission } from "../../explain/submission-objects.ts";
import type { Host } from "../../host/host.ts";
import { type DrySubmission, drySubmission } from "../dry/dry-submission.ts";
import { printChanges, toPlainChanges } from "../dry/print-changes.ts";
import { splitLeadingOptions } from "../dry/split-leading-options.ts";
import { isHelpRequest } from "../parse-options.ts";
import { printError } from "../print.ts";

/** What `firesteel diff --help` shows. */
const diffUsage = `Usage: firesteel diff [options] <words of a submission> -- <words of another>
       firesteel diff [options] --with-spark-version VERSION <words of a submission>
       firesteel diff [options] --against NAMESPACE:POD <words of a submission>

Tells where two submissions part: two command lines; one command line in two release lines of Spark; or a driver in a
cluster (old) and what the command line would make (new). Ids and times do not count, nor what only servers set. But
for --against no API is contacted. The words are those of spark-submit; options of diff come before them, and the
first -- parts the two.

Options:
  --with-spark-version V  the release of the second submission, e.g. 4.3 or 3.5.9
  --against NS:POD        the driver's pod to compare with, in the cluster of the command line
  --json                  for programs

The exit code is 0 where nothing differs, 1 where something does, and 2 for trouble. Values of secrets are hidden.
`;

/** As diff(1) has them. */
const diffCodes = { same: 0, different: 1, trouble: 2 } as const;

/** `firesteel diff …`: gives the exit code. */
export async function runDiffCommand(host: Host, args: readonly string[]): Promise<number> {
  try {
    return await diff(host, args);
  } catch (error) {
    if (!isSubmitError(error)) throw error;
    host.stderr.write(printError(error, { form: "plain", strict: false }));
    return diffCodes.trouble;
  }
}

async function diff(host: Host, args: readonly string[]): Promise<number> {
  const { own, submission: words } = splitLeadingOptions(args, {
    flags: ["--json", "--help", "-h"],
    values: ["--with-spark-version", "--against"],
  });
  if (own.has("--help") || own.has("-h") || isHelpRequest(words.slice(0, 1))) {
    host.stdout.write(diffUsage);
    return diffCodes.same;
  }
  const against = own.value("--against");
  const version = own.value("--with-spark-version");
  const sides = await compareSides(host, words, { against, version });
  const changes = differenceOf(sides.old, sides.changed);
  const redaction = redactionOf(sides.dry.submission.request.conf);
  host.stdout.write(
    own.has("--json") ? toPlainChanges(changes, redaction) : printChanges(changes, redaction),
  );
  return codeOf(changes);
}

function codeOf(changes: readonly FieldChange[]): number {
  return changes.length === 0 ? diffCodes.same : diffCodes.different;
}

interface Sides {
  readonly old: ReadonlyMap<string, Field>;
  readonly changed: ReadonlyMap<string, Field>;
  /** Whose settings tell what is a secret. */
  readonly dry: DrySubmission;
}

/** Both sides get the same ids, so that these do not differ. */
const seed = "diff";

async function compareSides(
  host: Host,
  words: readonly string[],
  { against, version }: { against: string | undefined; version: string | undefined },
): Promise<Sides> {
  if (against !== undefined) return compareWithDriver(host, words, against);
  if (version !== undefined) return compareVersions(host, words, version);
  const divider = words.indexOf("--");
  if (divider < 0) throw submitError("SUBMIT_ERR_DIFF_ONE_SIDE", {});
  const before = await drySubmission(host, words.slice(0, divider), seed);
  const dry = await drySubmission(host, words.slice(divider + 1), seed);
  return { old: fieldsOf(before.objects), changed: fieldsOf(dry.objects), dry };
}

async function compareVersions(host: Host, words: readonly string[], text: string): Promise<Sides> {
  const version = parseSparkVersion(text);
  if (version === undefined) throw submitError("SUBMIT_ERR_SPARK_VERSION", { text, known: sparkLines });
  const dry = await drySubmission(host, words, seed);
  const { request } = dry.submission;
  const other = { ...dry.submission, request: { ...request, conf: request.conf.as(version) } };
  return { old: fieldsOf(dry.objects), changed: fieldsOf(orThrow(buildSubmission(other))), dry };
}

async function compareWithDriver(host: Host, words: readonly string[], against: string): Promise<Sides> {
  const { readLiveDriver } = await import("../dry/live-driver.ts");
  const dry = await drySubmission(host, words, seed);
  const old = await readLiveDriver(host, dry.submission.request, against);
  return { old, changed: comparableFields(fieldsOf(dry.objects)), dry };
}
