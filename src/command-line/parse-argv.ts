import type { Behaviors } from "../conf/behaviors.ts";
import type { Setting } from "../conf/setting.ts";
import type { SparkLine } from "../conf/spark-version.ts";
import { type Issue, issue } from "../errors/issue.ts";
import { type FieldName, submitField } from "../plan/submit-fields.ts";
import type { Option, SwitchMeaning, SwitchOption, ValueOption } from "./options.ts";
import { type Program, programOf, shellProgramOf, specialResource } from "./programs.ts";
import { unknownOption } from "./unknown-option.ts";

/** What the words of a command line said, in Spark's first pass. */
export interface Reading {
  readonly fields: Map<FieldName, string>;
  readonly settings: Map<string, Setting>;
  readonly extraPropertiesFiles: string[];
  readonly switches: Set<SwitchMeaning>;
  /** What asks for something else than a submission, in order. */
  readonly actions: ("help" | "usageError" | "version" | { action: "kill" | "status"; id: string })[];
  /** Options that Spark's launcher hands on as they were said. */
  readonly forwardedOptions: string[];
  readonly appArgs: string[];
  readonly issues: Issue[];
  program: Program;
  propertiesFile: string | undefined;
  resource: string | undefined;
  /** No resource is needed. */
  isSpecial: boolean;
  /** Unknown words belong to the application, wherever they stand. */
  isMixed: boolean;
}

/** How words are understood. */
export interface Grammar {
  readonly line: SparkLine;
  /** @default "checked" */
  readonly exampleOptions?: Behaviors["exampleOptions"] | undefined;
}

/** The value must have no line end in it, or the whole word counts as the name. */
const nameAndValue = /^(--[^=]+)=([^\n\r\u0085\u2028\u2029]+)$/;

/**
 * Reads all words, by the options known under each name, and by the classes that a line of Spark knows.
 *
 * Source: Spark SparkSubmitOptionParser.parse.
 */
export function parseArgv(
  argv: readonly string[],
  { known, ...grammar }: Grammar & { readonly known: ReadonlyMap<string, Option> },
): Reading {
  const reading = startReading(programOf(argv[0]));
  const taking = { reading, ...grammar };
  const words = reading.program === "submit" ? argv : argv.slice(1);
  let index = 0;
  let goesOn = true;
  while (goesOn && index < words.length) {
    const word = words[index] ?? "";
    const [, name = word, glued] = word.includes("=") ? (nameAndValue.exec(word) ?? []) : [];
    index += 1;
    const option = known.get(name);
    if (option === undefined) {
      goesOn = takeUnknown(name, known, taking);
    } else if ("switches" in option) {
      takeSwitch(option, taking);
    } else {
      const value = glued ?? words[index];
      if (glued === undefined) index += 1;
      if (value === undefined) {
        reading.isSpecial ||= option.meaning.kind === "action";
        reading.issues.push(issue("SUBMIT_ERR_ARG_VALUE_MISSING", { option: name }));
      } else {
        takeValue(option, withoutReturns(value), taking);
      }
    }
  }
  reading.appArgs.push(...words.slice(index).map(withoutReturns));
  return reading;
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
    resource: isShell ? program : program === "example" ? "spark-internal" : undefined,
    isSpecial: false,
    isMixed: isShell,
  };
}

/** Spark's shell script deletes carriage returns between the two parsers. */
function withoutReturns(text: string): string {
  return text.replaceAll("\r", "");
}

/** What a word changes, and how it is understood. */
interface Taking extends Grammar {
  readonly reading: Reading;
}

function takeSwitch({ switches: meaning, flag }: SwitchOption, taking: Taking): void {
  const { reading } = taking;
  reading.switches.add(meaning);
  if (meaning === "verbose" || meaning === "supervise") reading.forwardedOptions.push(flag);
  if (meaning === "failFast") takeSetting("failFast", { value: "true", flag }, reading);
  if (meaning !== "help" && meaning !== "usageError" && meaning !== "version") return;
  reading.actions.push(meaning);
  reading.isSpecial = true;
}

function takeValue({ flag, meaning }: ValueOption, value: string, taking: Taking): void {
  const { reading } = taking;
  switch (meaning.kind) {
    case "field":
      if (meaning.isSetting) takeSetting(meaning.field, { value, flag }, reading);
      else takeField(meaning.field, { value, flag }, taking);
      break;
    case "setting": {
      const at = value.indexOf("=");
      if (at < 0) reading.issues.push(issue("SUBMIT_ERR_ARG_CONF", { text: value }));
      else
        putSetting(
          { key: value.slice(0, at), value: value.slice(at + 1), origin: { kind: "conf" } },
          reading,
        );
      break;
    }
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

/** The value of an option, and what the option is called. */
interface Told {
  readonly value: string;
  readonly flag: string;
}

function takeSetting(field: FieldName, { value, flag }: Told, reading: Reading): void {
  const { entry } = submitField(field);
  if (entry !== undefined)
    putSetting({ key: entry.key, value, origin: { kind: "option", option: flag } }, reading);
}

function takeField(field: FieldName, { value, flag }: Told, { reading, line }: Taking): void {
  reading.fields.set(field, value);
  if (!keptApart.includes(field)) reading.forwardedOptions.push(flag, value);
  const implied = field === "mainClass" ? specialResource(value, line) : undefined;
  if (implied === undefined) return;
  reading.isMixed = true;
  reading.resource = implied;
  if (reading.program !== "example") reading.program = "submit";
}

/** What the launcher looks at itself, and says once. */
const keptApart: readonly FieldName[] = ["master", "remote", "deployMode", "mainClass"];

function putSetting(setting: Setting, reading: Reading): void {
  reading.settings.set(setting.key, setting);
}

/** A word that is no option; false when the options end with it. */
function takeUnknown(
  word: string,
  known: ReadonlyMap<string, Option>,
  { reading, exampleOptions = "checked" }: Taking,
): boolean {
  const text = withoutReturns(word);
  if (reading.isMixed) {
    reading.appArgs.push(text);
    return true;
  }
  const isExample = reading.program === "example";
  if (word.startsWith("-") && !(isExample && exampleOptions === "spark")) {
    reading.issues.push(unknownOption(word, known.keys()));
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
