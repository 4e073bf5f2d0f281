import { orThrow } from "../../errors/submit-error.ts";
import { fieldChooser } from "../../explain/choose-fields.ts";
import { type ExplainedField, explainSubmission } from "../../explain/explain.ts";
import { redactionOf } from "../../explain/redact-field.ts";
import type { Host } from "../../host/host.ts";
import { objectChooser } from "../dry/choose-objects.ts";
import { drySubmission } from "../dry/dry-submission.ts";
import { printExplanation, toPlainField } from "../dry/print-explanation.ts";
import { settingOrigins } from "../dry/setting-origins.ts";
import { splitLeadingOptions } from "../dry/split-leading-options.ts";
import { exitCodes } from "../exit-codes.ts";
import { isHelpRequest } from "../parse-options.ts";
import { printIssues } from "../print.ts";

/** What `firesteel explain --help` shows. */
const explainUsage = `Usage: firesteel explain [options] <words of a submission>

Tells of every field of every object that the submission would create which feature step set it, and which settings,
words, variables or templates decided it: each is left out once, and what then differs was decided by it. No API is
contacted. The words are those of spark-submit; options of explain come before them.

Options:
  --field PATTERN         only fields at or below a path, with names or numbers in brackets; * stands for anything:
                          spec.containers[0].resources, *.env[SPARK_USER], spark.driver.memory (a property)
  --only WHAT             driver, resources, executor, or kinds such as Service; several with commas (default: all)
  --seed TEXT             makes ids and times of this text (default: as a submission would)
  --json                  for programs

Values of secrets are hidden, as spark.redaction.regex says.
`;

/** `firesteel explain …`: gives the exit code. */
export async function runExplainCommand(host: Host, args: readonly string[]): Promise<number> {
  const { own, submission } = splitLeadingOptions(args, {
    flags: ["--json", "--help", "-h"],
    values: ["--field", "--only", "--seed"],
  });
  if (own.has("--help") || own.has("-h") || isHelpRequest(submission.slice(0, 1))) {
    host.stdout.write(explainUsage);
    return exitCodes.ok;
  }
  const isWanted = objectChooser(own.value("--only"));
  const isChosen = fieldChooser(own.value("--field"));
  const dry = await drySubmission(host, submission, own.value("--seed"));
  const { conf } = dry.submission.request;
  const places = settingOrigins(host, conf);
  const redaction = redactionOf(conf);
  const fields: readonly ExplainedField[] = orThrow(explainSubmission(dry.submission)).filter(
    (field) => isWanted(field.part, field.kind) && isChosen(field),
  );
  host.stdout.write(
    own.has("--json")
      ? `${JSON.stringify({ fields: fields.map((field) => toPlainField(field, { places, redaction })) }, undefined, 2)}\n`
      : printExplanation(fields, { places, redaction }),
  );
  host.stderr.write(printIssues(dry.objects.executorIssues, { form: "plain", strict: false }));
  return exitCodes.ok;
}
