import type { SparkLine } from "../conf/spark-version.ts";
import { type Issue, issue, type Result, success } from "../errors/issue.ts";
import type { CommandLineSettings, Invocation } from "../plan/invocation.ts";
import { type Option, optionsOf } from "./options.ts";
import { type Grammar, parseArgv, type Reading } from "./parse-argv.ts";

/**
 * Reads the words of a command line as the two parsers of Spark do, one after the other; all problems are found.
 *
 * Shape: `--flag value`, `--flag=value`, switches; the first free word is the resource, and what follows belongs to
 * the application. With a class of a shell, unknown words are the shell's and options may follow them.
 * Errors: `SUBMIT_ERR_ARG_…`, `…_APP_RESOURCE_MISSING`, `…_DEPLOY_MODE_OPTION`, `…_ACTIONS_CONFLICT` and others.
 * Source: Spark SparkSubmitOptionParser, SparkSubmitCommandBuilder, SparkSubmitArguments.
 */
export function parseCommandLine(
  argv: readonly string[],
  line: SparkLine,
  { exampleOptions }: Pick<Grammar, "exampleOptions"> = {},
): Result<Invocation> {
  const reading = parseArgv(argv, { known: optionsByName(line), line, exampleOptions });
  if (argv.length === 0) return success({ action: "usage", reason: "nothing", ...givenIn(reading) });
  const invocation = decide(reading);
  return reading.issues.length > 0 || invocation === undefined
    ? { ok: false, issues: reading.issues }
    : success(invocation);
}

function optionsByName(line: SparkLine): ReadonlyMap<string, Option> {
  const options = new Map<string, Option>();
  for (const option of optionsOf(line)) {
    options.set(option.flag, option);
    if (option.alias !== undefined) options.set(option.alias, option);
  }
  return options;
}

/** The action, or `undefined` with the problems that stand in its way. */
function decide(reading: Reading): Invocation | undefined {
  const { issues, fields, appArgs, program } = reading;
  const given = givenIn(reading);
  const deployMode = fields.get("deployMode");
  if (!reading.isSpecial) issues.push(...problemsOfSubmission(reading));
  const isSubmission = !reading.isSpecial && issues.length === 0;
  // A submission is looked at as a whole: of a shell, Spark looks at the mode only when the shell runs.
  if (!isSubmission && deployMode !== undefined && deployMode !== "client" && deployMode !== "cluster")
    issues.push(issue("SUBMIT_ERR_DEPLOY_MODE_OPTION", {}));
  let wanted: { action: "kill" | "status"; id: string } | undefined;
  for (const action of reading.actions) {
    if (action === "version") return { action: "version", ...given };
    if (action === "help") return { action: "usage", reason: "help", ...given };
    if (action === "usageError") return { action: "usage", reason: "error", ...given };
    if (wanted !== undefined) {
      const [first, second] = [sparkName(wanted.action), sparkName(action.action)];
      issues.push(issue("SUBMIT_ERR_ACTIONS_CONFLICT", { first, second }));
    }
    wanted ??= action;
  }
  const json = reading.switches.has("json");
  if (wanted?.action === "status") return { action: "status", submissionId: wanted.id, json, ...given };
  if (json) issues.push(issue("SUBMIT_ERR_ARG_UNKNOWN", { option: "--json" }));
  if (wanted !== undefined) return { action: "kill", submissionId: wanted.id, ...given };
  const { resource } = reading;
  if (resource === undefined) return undefined;
  const shell = shellOf(program);
  const isExample = program === "example";
  const { forwardedOptions } = reading;
  return {
    action: "submit",
    resource,
    appArgs,
    isExample,
    forwardedOptions,
    ...(shell && { shell }),
    ...given,
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
  if (program === "example" && !fields.has("mainClass"))
    return [issue("SUBMIT_ERR_EXAMPLE_CLASS_MISSING", {})];
  if (resource !== undefined) return [];
  return [issue("SUBMIT_ERR_APP_RESOURCE_MISSING", {}), issue("SUBMIT_ERR_PRIMARY_RESOURCE_MISSING", {})];
}

function givenIn(reading: Reading): CommandLineSettings {
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
