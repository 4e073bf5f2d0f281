import { type ConvertInput, convertCommandLine, convertDocument } from "../../applications/convert-input.ts";
import { readSingleDocument } from "../../applications/read-manifest.ts";
import { newestLine, newestRelease } from "../../conf/spark-version.ts";
import { SubmitError, submitError, throwIssues } from "../../errors/submit-error.ts";
import { absolutePath } from "../../host/absolute-path.ts";
import type { Host } from "../../host/host.ts";
import { overrideHost } from "../../host/override-host.ts";
import { quoteForShell } from "../../host/quote-for-shell.ts";
import { toCommand } from "../../spark-application/convert/to-command.ts";
import { type TemplateFiles, toOwn } from "../../spark-application/convert/to-own.ts";
import { toSparkApplication } from "../../spark-application/convert/to-spark-application.ts";
import { singleFile } from "../applications/single-file.ts";
import { printYaml } from "../dry/print-yaml.ts";
import { splitLeadingOptions } from "../dry/split-leading-options.ts";
import { exitCodes } from "../exit-codes.ts";
import { isHelpRequest } from "../is-help-request.ts";
import { profileSettings } from "../profiles/with-profile.ts";
import { readCommandLine } from "../read-command-line.ts";
import { unknownChoice } from "../unknown-name.ts";

const usage = `Usage: firesteel convert --to FORMAT -f FILE
       firesteel convert --to FORMAT <spark-submit arguments>

Convert an application between a spark-submit command line, a SparkApplication (sparkoperator.k8s.io/v1beta2) and
Firesteel's own format. The result is printed to stdout. What it cannot express is printed to stderr. Put the options of
convert before the spark-submit arguments.

Options:
  --to FORMAT             command, spark-application or own
  -f, --file FILE         file of an application, in YAML or JSON
  --templates DIR         directory in which to write pod templates that a command or the own format needs
  --json                  JSON output, with the notes
`;

const formats = ["command", "spark-application", "own"] as const;
type Format = (typeof formats)[number];

/** Runs `firesteel convert`. @returns the exit code */
export async function runConvertCommand(host: Host, args: readonly string[]): Promise<number> {
  const { own, submission } = splitLeadingOptions(args, {
    flags: ["--json", "--help", "-h"],
    values: ["--to", "-f", "--file", "--templates"],
  });
  if (own.has("--help") || own.has("-h") || isHelpRequest(submission.slice(0, 1))) {
    host.stdout.write(usage);
    return exitCodes.ok;
  }
  const to = formatOf(own.value("--to"));
  const file = singleFile(own);
  const [ofSubmission] = submission;
  if (file !== undefined && ofSubmission !== undefined)
    throw submitError("SUBMIT_ERR_OPTIONS_EXCLUSIVE", { first: "--file", second: ofSubmission });
  if (file === undefined && ofSubmission === undefined) {
    const what = { command: "convert", what: "an application", allowed: "-f FILE, or spark-submit arguments" };
    throw submitError("SUBMIT_ERR_ARGUMENT_MISSING", { ...what, example: `--to ${to} -f app.yaml` });
  }
  const input = file === undefined ? await ofCommandLine(host, submission) : await ofFile(host, file);
  const directory = own.value("--templates");
  const { text, value, notes } = await convert(host, input, { to, directory });
  const all = [...input.notes, ...notes];
  if (own.has("--json")) host.stdout.write(`${JSON.stringify({ result: value, notes: all }, undefined, 2)}\n`);
  else {
    host.stdout.write(text);
    host.stderr.write(all.map((note) => `Note: ${note}\n`).join(""));
  }
  return exitCodes.ok;
}

function formatOf(value: string | undefined): Format {
  const found = formats.find((format) => format === value);
  if (found !== undefined) return found;
  if (value !== undefined) throw new SubmitError([unknownChoice({ option: "--to", value, choices: [...formats] })]);
  const what = { command: "convert", what: "the format of the result", allowed: `--to ${formats.join(", --to ")}` };
  throw submitError("SUBMIT_ERR_ARGUMENT_MISSING", { ...what, example: "--to spark-application -f app.yaml" });
}

async function ofCommandLine(host: Host, args: readonly string[]): Promise<ConvertInput> {
  const machine = overrideHost(host, { argv: args });
  const { invocation, issues } = await readCommandLine(machine);
  throwIssues(issues);
  if (invocation.action !== "submit") throw submitError("SUBMIT_ERR_NOTHING_TO_SUBMIT", {});
  return convertCommandLine(machine, invocation);
}

async function ofFile(host: Host, file: string): Promise<ConvertInput> {
  const document = await readSingleDocument(host, file, "one application");
  return convertDocument(
    host,
    { file, document },
    {
      options: {},
      reservedKeys: "warn",
      readProfile: (name) => profileSettings(host, name),
    },
  );
}

interface ConvertOptions {
  readonly to: Format;
  /** Directory for pod templates. */
  readonly directory: string | undefined;
}

async function convert(host: Host, { convertible, sparkVersion }: ConvertInput, { to, directory }: ConvertOptions) {
  if (to === "spark-application") {
    const version = sparkVersion ?? newestRelease(newestLine).text;
    const assumed = sparkVersion === undefined ? [`spec.sparkVersion is ${version}: the source names no version.`] : [];
    const { result, notes } = toSparkApplication(convertible, version);
    return { text: await printYaml(result), value: result, notes: [...assumed, ...notes] };
  }
  const { files, notes: templateNotes } = writeTemplates(host, convertible, directory);
  if (to === "own") {
    const { result, notes } = toOwn(convertible, files);
    return { text: await printYaml(result), value: result, notes: [...templateNotes, ...notes] };
  }
  const { result, notes } = toCommand(convertible, files);
  const lines = result.map((group) => group.map(quoteForShell).join(" "));
  return { text: `spark-submit ${lines.join(" \\\n  ")}\n`, value: result.flat(), notes: [...templateNotes, ...notes] };
}

/** Writes the pod templates of a submission, or notes that they are necessary. */
function writeTemplates(
  host: Host,
  { templates, name = "application" }: ConvertInput["convertible"],
  directory: string | undefined,
): { readonly files: TemplateFiles; readonly notes: readonly string[] } {
  const files: { driver?: string; executor?: string } = {};
  const notes: string[] = [];
  for (const role of ["driver", "executor"] as const) {
    if (templates[role] === undefined) continue;
    const path = `${directory ?? "."}/${name}-${role}-template.json`;
    files[role] = path;
    const text = `${JSON.stringify(templates[role], undefined, 2)}\n`;
    if (directory === undefined)
      notes.push(`The ${role} needs the pod template ${path}: write it with --templates DIR.`);
    else {
      host.files.makeDirectory(absolutePath(host, directory));
      host.files.write(absolutePath(host, path), text);
      notes.push(`The pod template of the ${role} is in ${path}.`);
    }
  }
  return { files, notes };
}
