import type { Behaviors } from "../conf/behaviors.ts";
import type { Setting } from "../conf/setting.ts";
import type { SparkLine } from "../conf/spark-version.ts";
import { type Issue, issue } from "../errors/issue.ts";
import { type FieldName, submitField } from "../plan/submit-fields.ts";
import type { Option, SwitchMeaning, SwitchOption, ValueOption } from "./options.ts";
import { internalResource, type Program, programOf, shellProgramOf, specialResource } from "./programs.ts";
import { nearestOption, unknownOption } from "./unknown-option.ts";

/** Parsed arguments after Spark's first pass. */
export interface Reading {
  readonly fields: Map<FieldName, string>;
  readonly settings: Map<string, Setting>;
  readonly extraPropertiesFiles: string[];
  readonly switches: Set<SwitchMeaning>;
  /** Actions other than a submission, in the order of the arguments. */
  readonly actions: ("help" | "usageError" | "version" | { action: "kill" | "status"; id: string })[];
  /** Options that Spark's launcher passes on unchanged. */
  readonly forwardedOptions: string[];
  readonly appArgs: string[];
  readonly issues: Issue[];
  program: Program;
  propertiesFile: string | undefined;
  resource: string | undefined;
  /** Whether no resource is required. */
  isSpecial: boolean;
  /** Whether unknown arguments belong to the application at any position. */
  isMixed: boolean;
}

/** Rules for parsing. */
export interface Grammar {
  readonly line: SparkLine;
  /** @default "checked" */
  readonly exampleOptions?: Behaviors["exampleOptions"] | undefined;
}

/** A value with a line break does not match: then the whole argument is the name, as for Spark. */
const nameAndValue = /^(--[^=]+)=([^\n\r\u0085\u2028\u2029]+)$/;

/**
 * Parses all arguments, with the options by name and the classes of a Spark line.
 *
 * Source: Spark SparkSubmitOptionParser.parse.
 */
export function parseArgv(
  argv: readonly string[],
  { known, ...grammar }: Grammar & { readonly known: ReadonlyMap<string, Option> },
): Reading {
  const reading = startReading(programOf(argv[0]));
  const state = { reading, ...grammar };
  const args = reading.program === "submit" ? argv : argv.slice(1);
  let index = 0;
  let hasMoreOptions = true;
  while (hasMoreOptions && index < args.length) {
    const arg = args[index] ?? "";
    const [, name = arg, inline] = arg.includes("=") ? (nameAndValue.exec(arg) ?? []) : [];
    index += 1;
    const option = known.get(name);
    if (option === undefined) {
      hasMoreOptions = parseUnknown(name, known, state);
      // The value must not be taken for the application.
      const isValue = inline === undefined && args[index]?.startsWith("-") === false;
      if (hasMoreOptions && isValue && !reading.isMixed && isMisspelledValueOption(name, known)) index += 1;
    } else if ("switches" in option) {
      parseSwitch(option, state);
    } else {
      const value = inline ?? args[index];
      if (inline === undefined) index += 1;
      if (value === undefined) {
        reading.isSpecial ||= option.meaning.kind === "action";
        reading.issues.push(issue("SUBMIT_ERR_ARG_VALUE_MISSING", { option: name }));
      } else {
        parseValue(option, withoutReturns(value), state);
      }
    }
  }
  reading.appArgs.push(...args.slice(index).map(withoutReturns));
  return reading;
}

/** Whether an unknown option seems to be a misspelled one with a value. */
function isMisspelledValueOption(name: string, known: ReadonlyMap<string, Option>): boolean {
  const nearest = known.get(nearestOption(name, known.keys()) ?? "");
  return nearest !== undefined && "value" in nearest;
}

function startReading(program: Program): Reading {
  const isShell = program === "pyspark-shell" || program === "sparkr-shell";
  return {
    program,
    fields: new Map(),
    settings: new Map(),
    extraPropertiesFiles: [],
    switches: new Set(),
    actions: [],
    forwardedOptions: [],
    appArgs: [],
    issues: [],
    propertiesFile: undefined,
    resource: isShell ? program : program === "example" ? internalResource : undefined,
    isSpecial: false,
    isMixed: isShell,
  };
}

/** Removes carriage returns, as Spark's shell script does between the two parsers. */
function withoutReturns(text: string): string {
  return text.replaceAll("\r", "");
}

/** The parsed arguments so far, and the rules for parsing. */
interface ParseState extends Grammar {
  readonly reading: Reading;
}

function parseSwitch({ switches: meaning, flag }: SwitchOption, state: ParseState): void {
  const { reading } = state;
  reading.switches.add(meaning);
  if (meaning === "verbose" || meaning === "supervise") reading.forwardedOptions.push(flag);
  if (meaning === "failFast") parseSetting("failFast", { value: "true", flag }, reading);
  if (meaning !== "help" && meaning !== "usageError" && meaning !== "version") return;
  reading.actions.push(meaning);
  reading.isSpecial = true;
}

function parseValue({ flag, meaning }: ValueOption, value: string, state: ParseState): void {
  const { reading } = state;
  switch (meaning.kind) {
    case "field":
      if (meaning.isSetting) parseSetting(meaning.field, { value, flag, isRepeated: meaning.isRepeated }, reading);
      else parseField(meaning.field, { value, flag }, state);
      break;
    case "setting": {
      const at = value.indexOf("=");
      if (at < 0) reading.issues.push(issue("SUBMIT_ERR_ARG_CONF", { text: value }));
      else putSetting({ key: value.slice(0, at), value: value.slice(at + 1), origin: { kind: "conf" } }, reading);
      break;
    }
    case "firstReleaseKey":
      putSetting({ key: meaning.key, value, origin: { kind: "option", option: flag } }, reading);
      break;
    case "propertiesFile":
      reading.propertiesFile = value;
      break;
    case "extraPropertiesFile":
      reading.extraPropertiesFiles.push(value);
      break;
    case "action":
      reading.actions.push({ action: meaning.action, id: value });
      reading.isSpecial = true;
  }
}

/** An option with its value. */
interface OptionValue {
  readonly value: string;
  readonly flag: string;
  /** Whether the value is added to those of the same option. */
  readonly isRepeated?: true | undefined;
}

function parseSetting(field: FieldName, { value, flag, isRepeated }: OptionValue, reading: Reading): void {
  const key = submitField(field).entry?.key;
  if (key === undefined) return;
  const earlier = isRepeated && reading.settings.get(key);
  const all = earlier ? `${earlier.value},${value}` : value;
  putSetting({ key, value: all, origin: { kind: "option", option: flag } }, reading);
}

function parseField(field: FieldName, { value, flag }: OptionValue, { reading, line }: ParseState): void {
  reading.fields.set(field, value);
  if (!passedSeparately.includes(field)) reading.forwardedOptions.push(flag, value);
  const implied = field === "mainClass" ? specialResource(value, line) : undefined;
  if (implied === undefined) return;
  reading.isMixed = true;
  reading.resource = implied;
  if (reading.program !== "example") reading.program = "submit";
}

/** Fields that the launcher evaluates itself and passes once. */
const passedSeparately: readonly FieldName[] = ["master", "remote", "deployMode", "mainClass"];

function putSetting(setting: Setting, reading: Reading): void {
  reading.settings.set(setting.key, setting);
}

/** Handles an argument that is not an option. @returns false if it ends the options */
function parseUnknown(
  arg: string,
  known: ReadonlyMap<string, Option>,
  { reading, exampleOptions = "checked" }: ParseState,
): boolean {
  const text = withoutReturns(arg);
  if (reading.isMixed) {
    reading.appArgs.push(text);
    return true;
  }
  const isExample = reading.program === "example";
  if (arg.startsWith("-") && !(isExample && exampleOptions === "spark")) {
    reading.issues.push(unknownOption(arg, known.keys()));
    return true;
  }
  if (isExample) {
    const prefix = "org.apache.spark.examples.";
    reading.fields.set("mainClass", text.startsWith(prefix) ? text : `${prefix}${text}`);
  } else {
    const shell = shellProgramOf(text);
    reading.program = shell ?? reading.program;
    reading.resource = shell ?? text;
  }
  return false;
}
