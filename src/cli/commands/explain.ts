import { orThrow } from "../../errors/submit-error.ts";
import { fieldChooser } from "../../explain/choose-fields.ts";
import { explainSubmission } from "../../explain/explain.ts";
import { redactionOf } from "../../explain/redact-field.ts";
import type { Host } from "../../host/host.ts";
import { splitDryArguments } from "../applications/split-dry-arguments.ts";
import { startsWithFile } from "../applications/starts-with-file.ts";
import { objectChooser } from "../dry/choose-objects.ts";
import { drySubmission } from "../dry/dry-submission.ts";
import { printExplanation, toPlainField } from "../dry/print-explanation.ts";
import { settingOrigins } from "../dry/setting-origins.ts";
import { exitCodes } from "../exit-codes.ts";
import { isHelpRequest } from "../is-help-request.ts";
import { printIssues } from "../print.ts";

const explainUsage = `Usage: firesteel explain [options] <spark-submit arguments>
       firesteel explain [options] -f FILE [options of apply]

Print, for every field of every object that the submission would create, the feature step that sets it and the
settings, defaults, arguments, variables and templates on which it depends. No API is contacted. Put the options of explain before the spark-submit arguments.
With -f, explain what apply would submit, with the file or the profile of each setting.

Options:
  --field PATTERN         path of the fields to explain, with names or numbers in brackets; * matches any text:
                          spec.containers[0].resources, *.env[SPARK_USER], spark.driver.memory (a property)
  --only LIST             driver, resources, executor or kinds such as Service, separated by commas (default: all)
  --seed TEXT             seed for IDs and times (default: random IDs, current time)
  --json                  JSON output
  -f, --file FILE         file with applications, as of apply, whose options can follow

Values of secrets are hidden, as spark.redaction.regex defines.
`;

/** Runs `firesteel explain`. @returns the exit code */
export async function runExplainCommand(host: Host, args: readonly string[]): Promise<number> {
  const { own, submission } = splitDryArguments(args, {
    flags: ["--json", "--help", "-h"],
    values: ["--field", "--only", "--seed"],
  });
  if (own.has("--help") || own.has("-h") || isHelpRequest(submission.slice(0, 1))) {
    host.stdout.write(explainUsage);
    return exitCodes.ok;
  }
  const isSelected = objectChooser(own.value("--only"));
  const isMatched = fieldChooser(own.value("--field"));
  const seed = own.value("--seed");
  const planned = startsWithFile(submission)
    ? await (await import("../applications/dry-files.ts")).dryFiles(host, submission, { command: "explain", seed })
    : [await drySubmission(host, submission, seed)];
  const explained = planned.map((dry) => {
    const { conf } = dry.submission.request;
    const { fields, executorIssues } = orThrow(explainSubmission(dry.submission));
    return {
      fields: fields.filter((field) => isSelected(field.part, field.kind) && isMatched(field)),
      style: { origins: settingOrigins(host, conf), redaction: redactionOf(conf) },
      executorIssues,
    };
  });
  host.stdout.write(
    own.has("--json")
      ? `${JSON.stringify({ fields: explained.flatMap(({ fields, style }) => fields.map((field) => toPlainField(field, style))) }, undefined, 2)}\n`
      : explained.map(({ fields, style }) => printExplanation(fields, style)).join("\n"),
  );
  const issues = explained.flatMap(({ executorIssues }) => executorIssues);
  if (issues.length > 0) host.stderr.write(printIssues(issues, { form: "errorAndHint" }));
  return exitCodes.ok;
}
