import type { SparkLine } from "../conf/spark-version.ts";
import { type Issue, issue, type Result, unlessIssues } from "../errors/issue.ts";
import type { CommandLineSettings, Invocation } from "../plan/invocation.ts";
import { type Option, optionsOf } from "./options.ts";
import { type Grammar, parseArgv, type Reading } from "./parse-argv.ts";
import { internalResource } from "./programs.ts";

/**
 * Parses a command line as the two parsers of Spark do, one after the other. Finds all problems.
 *
 * Shape: `--flag value`, `--flag=value`, switches; the first positional is the application resource, and everything after it belongs
 * to the application. With the class of a shell, unknown arguments belong to the shell, and options can follow them.
 * Errors: `SUBMIT_ERR_ARG_…`, `…_APP_RESOURCE_MISSING`, `…_DEPLOY_MODE_OPTION`, `…_ACTIONS_CONFLICT` and others.
 * Source: Spark SparkSubmitOptionParser, SparkSubmitCommandBuilder, SparkSubmitArguments.
 *
 * @example
 * ```ts
 * const parsed = parseCommandLine(["--class", "com.example.Etl", "local:///opt/app.jar"], "4.3");
 * if (parsed.ok && parsed.value.action === "submit") console.log(parsed.value.resource);
 * ```
 */
export function parseCommandLine(
  argv: readonly string[],
  line: SparkLine,
  { exampleOptions }: Pick<Grammar, "exampleOptions"> = {},
): Result<Invocation> {
  const { invocation, issues } = parseInvalidCommandLine(argv, line, { exampleOptions });
  return unlessIssues(issues, invocation);
}

/** A command line and its problems. */
export interface ParsedCommandLine {
  /** The valid part of the command line, with placeholders for required parts that are missing. */
  readonly invocation: Invocation;
  readonly issues: readonly Issue[];
}

/** Parses a command line as `parseCommandLine`, and returns its valid part with its problems: later stages can find further ones. */
export function parseInvalidCommandLine(
  argv: readonly string[],
  line: SparkLine,
  { exampleOptions }: Pick<Grammar, "exampleOptions"> = {},
): ParsedCommandLine {
  const reading = parseArgv(argv, { known: optionsByName(line), line, exampleOptions });
  const { issues } = reading;
  if (argv.length === 0) return { invocation: { action: "usage", reason: "nothing", ...settingsOf(reading) }, issues };
  return { invocation: toInvocation(reading), issues };
}

function optionsByName(line: SparkLine): ReadonlyMap<string, Option> {
  const options = new Map<string, Option>();
  for (const option of optionsOf(line)) {
    options.set(option.flag, option);
    if (option.alias !== undefined) options.set(option.alias, option);
  }
  return options;
}

/** Returns the action, and adds its problems to the issues. */
function toInvocation(reading: Reading): Invocation {
  const { issues, fields, appArgs, program } = reading;
  const settings = settingsOf(reading);
  const deployMode = fields.get("deployMode");
  if (!reading.isSpecial) issues.push(...problemsOfSubmission(reading));
  const isSubmission = !reading.isSpecial && issues.length === 0;
  // For a submission, the mode is checked later with everything else; for a shell, Spark checks it when the shell runs.
  if (!isSubmission && deployMode !== undefined && deployMode !== "client" && deployMode !== "cluster")
    issues.push(issue("SUBMIT_ERR_DEPLOY_MODE_OPTION", {}));
  let requested: { action: "kill" | "status"; id: string } | undefined;
  for (const action of reading.actions) {
    if (action === "version") return { action: "version", ...settings };
    if (action === "help") return { action: "usage", reason: "help", ...settings };
    if (action === "usageError") return { action: "usage", reason: "error", ...settings };
    if (requested !== undefined) {
      const [first, second] = [sparkName(requested.action), sparkName(action.action)];
      issues.push(issue("SUBMIT_ERR_ACTIONS_CONFLICT", { first, second }));
    }
    requested ??= action;
  }
  const json = reading.switches.has("json");
  if (requested?.action === "status") return { action: "status", submissionId: requested.id, json, ...settings };
  if (json) issues.push(issue("SUBMIT_ERR_ARG_UNKNOWN", { option: "--json" }));
  if (requested !== undefined) return { action: "kill", submissionId: requested.id, ...settings };
  const { resource, forwardedOptions } = reading;
  const shell = shellOf(program);
  return {
    ...{ action: "submit", resource: resource ?? internalResource, appArgs, forwardedOptions },
    isExample: program === "example",
    ...(shell && { shell }),
    ...(reading.switches.has("check") && { isCheckedFirst: true }),
    ...settings,
    // Do not report the missing main class of a missing application.
    ...(resource === undefined && { fields: { mainClass: internalResource, ...settings.fields } }),
  };
}

function shellOf(program: Reading["program"]): "python" | "r" | undefined {
  if (program === "pyspark-shell") return "python";
  return program === "sparkr-shell" ? "r" : undefined;
}

function sparkName(action: "kill" | "status"): string {
  return action === "kill" ? "KILL" : "REQUEST_STATUS";
}

function problemsOfSubmission({ program, resource, fields }: Reading): readonly Issue[] {
  if (program === "example" && !fields.has("mainClass")) return [issue("SUBMIT_ERR_EXAMPLE_CLASS_MISSING", {})];
  if (resource !== undefined) return [];
  return [issue("SUBMIT_ERR_APP_RESOURCE_MISSING", {}), issue("SUBMIT_ERR_PRIMARY_RESOURCE_MISSING", {})];
}

function settingsOf(reading: Reading): CommandLineSettings {
  return {
    fields: Object.fromEntries(reading.fields),
    settings: [...reading.settings.values()],
    propertiesFile: reading.propertiesFile,
    extraPropertiesFiles: reading.extraPropertiesFiles,
    loadsDefaults: reading.switches.has("loadDefaults"),
    supervise: reading.switches.has("supervise"),
    verbose: reading.switches.has("verbose"),
  };
}
