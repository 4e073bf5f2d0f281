import type { Behaviors } from "../conf/behaviors.ts";
import { redactionRegex } from "../conf/entries/app.ts";
import type { Setting } from "../conf/setting.ts";
import type { SparkConf } from "../conf/spark-conf.ts";
import type { SparkLineTraits } from "../conf/spark-version.ts";
import type { CommandLineSettings } from "../plan/invocation.ts";
import type { FieldName } from "../plan/submit-fields.ts";
import { redactAnySecret, redactArguments } from "../values/redact-arguments.ts";
import { parseRedactionRule, redact, redactedText, withoutPasswords } from "../values/redaction.ts";
import type { FieldValues } from "./merge-fields.ts";
import type { ReadSettings } from "./read-settings.ts";

/** Inputs of the blocks that `--verbose` prints before anything is prepared. */
interface VerboseInput {
  readonly invocation: CommandLineSettings & { readonly appArgs?: readonly string[] };
  readonly read: ReadSettings;
  readonly fields: FieldValues;
  /** Primary resource as a URI; `undefined` for an operation. */
  readonly resource: string | undefined;
  readonly traits: SparkLineTraits;
  readonly behaviors: VerboseBehaviors;
}

type VerboseBehaviors = Pick<Behaviors, "redaction" | "controlCharacters">;

/** Output of `--verbose`. A stream escapes the control characters of a text, and writes bytes unchanged. */
export type VerboseOutput = string | Uint8Array;

/** Functions that hide secrets. */
interface Redaction {
  readonly ofSetting: (key: string, value: string) => string;
  /** Redacts an argument or the value of an option, which Spark prints unchanged. */
  readonly ofText: (text: string) => string;
  /** Redacts the arguments of an application, which Spark prints unchanged. */
  readonly ofArguments: (args: readonly string[]) => readonly string[];
}

/** Returns the redaction that the settings specify; one that hides every setting if their rule cannot be parsed. */
function redactionOf(settings: ReadonlyMap<string, Setting>, { redaction }: Pick<Behaviors, "redaction">): Redaction {
  const rule = parseRedactionRule(settings.get(redactionRegex.key)?.value ?? redactionRegex.defaultText);
  const ofSetting = (key: string, value: string) => (rule === undefined ? redactedText : redact(rule, key, value));
  if (redaction === "spark") return { ofSetting, ofText: (text) => text, ofArguments: (args) => args };
  return {
    ofSetting: (key, value) =>
      rule === undefined ? redactedText : withoutPasswords(redactAnySecret(rule, key, value)),
    ofArguments: (args) => (rule === undefined ? args : redactArguments(rule, args)).map(withoutPasswords),
    ofText: (text) => withoutPasswords(rule === undefined ? text : redact(rule, "", text)),
  };
}

/** Prints the properties files that were read. */
export function printFiles({
  read,
  invocation,
  traits,
  behaviors,
}: Pick<VerboseInput, "read" | "invocation" | "traits" | "behaviors">): VerboseOutput {
  const { ofSetting } = redactionOf(read.settings, behaviors);
  const hasNoFile = invocation.propertiesFile === undefined && read.defaultsFile === undefined;
  return lines(behaviors, [
    ...(traits.verboseShowsDefaultsFile && hasNoFile ? ["Using properties file: null"] : []),
    ...read.files.flatMap(({ path, entries }) => [
      `Using properties file: ${path}`,
      ...[...entries].map(([key, value]) => `Adding default property: ${key}=${ofSetting(key, value)}`),
    ]),
  ]);
}

/** Prints the blocks `Parsed arguments` and `Spark properties used`. Source: Spark SparkSubmitArguments.toString. */
export function printParsedArguments(input: VerboseInput): VerboseOutput {
  const { read, traits, behaviors } = input;
  const redaction = redactionOf(read.settings, behaviors);
  const file = propertiesFileOf(input);
  return lines(behaviors, [
    "Parsed arguments:",
    ...parsedArguments(input, redaction).map(([label, value]) => `  ${label.padEnd(23)} ${value}`),
    "",
    "Spark properties used, including those specified through",
    traits.extraPropertiesFile
      ? " --conf and those from the properties files:"
      : ` --conf and those from the properties file ${file}:`,
    ...pairs([...read.settings.values()], redaction).map((pair) => `  ${pair}`),
    "",
    "    ",
  ]);
}

function parsedArguments(
  input: VerboseInput,
  { ofText, ofArguments }: Redaction,
): readonly (readonly [string, string])[] {
  const { invocation, fields, resource, traits } = input;
  const printed = (name: FieldName): readonly [string, string] => [name, ofText(fields.get(name)?.value ?? "null")];
  return [
    ["master", fields.get("master")?.value ?? "local[*]"],
    ...(["remote", "deployMode", "executorMemory", "executorCores", "totalExecutorCores"] as const).map(printed),
    ["propertiesFile", propertiesFileOf(input)],
    ...(traits.extraPropertiesFile
      ? [["extraPropertiesFiles", `[${invocation.extraPropertiesFiles.join(", ")}]`] as const]
      : []),
    ...(["driverMemory", "driverCores", "driverExtraClassPath", "driverExtraLibraryPath"] as const).map(printed),
    printed("driverExtraJavaOptions"),
    ["supervise", String(invocation.supervise)],
    ...(["queue", "numExecutors", "files", "pyFiles", "archives", "mainClass"] as const).map(printed),
    ["primaryResource", ofText(resource ?? "null")],
    printed("name"),
    ["childArgs", `[${ofArguments(invocation.appArgs ?? []).join(" ")}]`],
    ...(["jars", "packages", "packagesExclusions", "repositories"] as const).map(printed),
    ["verbose", String(invocation.verbose)],
  ];
}

function propertiesFileOf({ invocation, read, traits }: VerboseInput): string {
  const defaults = traits.verboseShowsDefaultsFile ? read.defaultsFile : undefined;
  return invocation.propertiesFile ?? defaults ?? "null";
}

/** The class that Spark's front end would start next, with its arguments and its settings. */
interface ChildMain {
  readonly mainClass: string;
  /** Arguments; those in `verbatim` are Spark's own and are not redacted. */
  readonly args: readonly (string | { readonly verbatim: string })[];
  readonly conf: SparkConf;
  readonly behaviors: VerboseBehaviors;
  /** @default none */
  readonly classPath?: readonly string[];
}

/** Prints the last blocks of `--verbose`, from `Main class` on. Source: Spark SparkSubmit.runMain. */
export function printChildMain({ mainClass, args, conf, behaviors, classPath = [] }: ChildMain): VerboseOutput {
  const settings = conf.settings();
  const redaction = redactionOf(new Map(settings.map((setting) => [setting.key, setting])), behaviors);
  return lines(behaviors, [
    "Main class:",
    mainClass,
    "Arguments:",
    ...printedArguments(args, redaction),
    "Spark config:",
    ...pairs(settings, redaction),
    "Classpath elements:",
    ...classPath,
    "",
    "",
    "",
  ]);
}

/** Redacts the arguments except Spark's own, which may be between an option and its value. */
function printedArguments(args: ChildMain["args"], { ofArguments }: Redaction): readonly string[] {
  const redacted = [...ofArguments(args.filter((arg) => typeof arg === "string"))];
  return args.map((arg) => (typeof arg === "string" ? (redacted.shift() ?? "") : arg.verbatim));
}

function pairs(settings: readonly Setting[], { ofSetting }: Redaction): readonly string[] {
  const sorted = [...settings].sort((a, b) => (a.key < b.key ? -1 : 1));
  return sorted.map(({ key, value }) => `(${key},${ofSetting(key, value)})`);
}

function lines({ controlCharacters }: VerboseBehaviors, texts: readonly string[]): VerboseOutput {
  const text = texts.map((line) => `${line}\n`).join("");
  return controlCharacters === "spark" ? Buffer.from(text) : text;
}
