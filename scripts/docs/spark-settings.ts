import { allEntries, allPrefixEntries } from "../../src/conf/entries/all.ts";
import { checkedPrefixes, uncheckedPrefixes } from "../../src/conf/entries/checked-prefixes.ts";
import { driverSideKeys, removedKeys } from "../../src/conf/entries/driver-side.ts";
import { named } from "../../src/conf/entries/named.ts";
import { waitAppCompletion } from "../../src/conf/entries/watching.ts";
import type { ValueForm } from "../../src/conf/entry.ts";
import { sparkLines } from "../../src/conf/spark-version.ts";

/** A setting, or a family of settings if the key ends with a dot, as a property of the types of the library. */
interface Property {
  readonly key: string;
  readonly type: string;
  readonly doc: string | undefined;
  /** First line that has it; `undefined` for all. */
  readonly since: string | undefined;
}

const maxWidth = 120;

const head = `// Made from src/conf/entries by \`npm run update:docs\`. Do not edit.
import type { SparkLine } from "../spark-version.ts";

/** Reference to another setting or variable, e.g. \`\${spark.driver.memory}\` or \`\${env:HOME}\`. */
type Reference = \`\\\${\${string}}\`;

type TrueOrFalse = boolean | "true" | "false" | Reference;

type Numeric = number | \`\${number}\` | Reference;

type Scale = "k" | "m" | "g" | "t" | "p";

type SizeUnit = "b" | "B" | \`\${Scale | Uppercase<Scale>}\${"" | "b" | "B" | "ib" | "iB"}\`;

/** Number with a unit, e.g. \`512m\`; a number alone has the unit that the setting's description names. */
type Size = Numeric | \`\${number}\${SizeUnit}\`;

/** Number with a unit, e.g. \`30s\`; a number alone has the unit of the setting. */
type Duration = Numeric | \`\${number}\${"us" | "ms" | "s" | "m" | "min" | "h" | "d"}\`;

/** Items, or a text with commas between them. */
type List = string | readonly string[];

/** Value that only Spark checks. */
type Unchecked = string | number | boolean;
`;

const foot = `
/**
 * Settings of Spark and Firesteel with their types: those of one release line, e.g. \`SparkSettings<"4.3">\`, or of any. Other keys and values
 * do not compile. Spark also reads settings that Firesteel does not know: use \`extraConf\` for them, and for values that are known only at
 * run time.
 *
 * @example
 * \`\`\`ts
 * const conf: SparkSettings<"4.3"> = {
 *   "spark.executor.instances": 4,
 *   "spark.executor.memory": "8g",
 *   "spark.kubernetes.driver.label.team": "billing",
 * };
 * \`\`\`
 */
export type SparkSettings<Line extends SparkLine = SparkLine> = SettingsByLine[Line];
`;

/** Builds `src/conf/entries/spark-settings.ts`. */
export function sparkSettingsTypes(): string {
  const groups = new Map<string, Property[]>();
  for (const property of properties()) {
    const lines = sparkLines.filter((line) => isIn(property, line)).join(" ");
    groups.set(lines, [...(groups.get(lines) ?? []), property]);
  }
  const interfaces = [...groups].map(([lines, members]) => [nameOf(lines), printInterface(lines, members)] as const);
  const byLine = sparkLines.map((line) => {
    const names = [...groups.keys()].filter((lines) => lines.split(" ").includes(line)).map(nameOf);
    return `  readonly "${line}": ${names.join(" & ")};\n`;
  });
  const table = `\n/** Settings of each line. */\ninterface SettingsByLine {\n${byLine.join("")}}\n`;
  return [head, ...interfaces.sort().map(([, text]) => text), table, foot].join("");
}

function nameOf(lines: string): string {
  const numbers = lines.replaceAll(".", "").split(" ");
  return `SettingsOf${numbers[0]}${numbers.length === 1 ? "" : `To${numbers.at(-1)}`}`;
}

function printInterface(lines: string, members: readonly Property[]): string {
  return `\n/** Settings of Spark ${lines.split(" ").join(", ")}. */\ninterface ${nameOf(lines)} {\n${members.map(print).join("")}}\n`;
}

function print({ key, type, doc }: Property): string {
  const comment = doc === undefined ? "" : `  /** ${doc} */\n`;
  if (key.endsWith(".")) return `${comment}  readonly [key: \`${key}\${string}\`]: ${type} | undefined;\n`;
  const line = `  readonly "${key}"?: ${type} | undefined;\n`;
  if (line.length <= maxWidth) return comment + line;
  const members = [...type.split(" | "), "undefined"].map((member) => `    | ${member}`);
  return `${comment}  readonly "${key}"?:\n${members.join("\n")};\n`;
}

/** Lists all settings and families, each once, sorted by key. */
function properties(): readonly Property[] {
  const found = new Map<string, Property>();
  const add = (property: Property) => {
    if (!found.has(property.key)) found.set(property.key, property);
  };
  for (const { key, form, doc, since, defaultText } of allEntries) {
    const isDefault = !["(none)", ""].includes(defaultText);
    const text = `${/[.?!]$/.test(doc) ? doc : `${doc}.`}${isDefault ? ` Default: ${defaultText}` : ""}`;
    add({ key, type: typeOf(form), doc: text, since: since === "firesteel" ? undefined : since });
  }
  for (const { prefix, doc, since } of allPrefixEntries) add({ key: prefix, type: "Unchecked", doc, since });
  for (const { key, since } of driverSideKeys) add({ key, type: "Unchecked", doc: undefined, since });
  for (const key of [...Object.values(named), ...uncheckedPrefixes])
    add({ key, type: "Unchecked", doc: undefined, since: undefined });
  const isWide = (key: string) => Object.values(checkedPrefixes).some((prefix) => prefix.startsWith(key));
  return [...found.values()]
    .filter(({ key }) => !isWide(key) && key !== waitAppCompletion.key)
    .sort((a, b) => (a.key < b.key ? -1 : 1));
}

function typeOf(form: ValueForm = "text"): string {
  if (typeof form !== "string") return [...form.map((choice) => JSON.stringify(choice)), "Reference"].join(" | ");
  return {
    text: "string",
    boolean: "TrueOrFalse",
    number: "Numeric",
    size: "Size",
    duration: "Duration",
    list: "List",
  }[form];
}

function isIn({ key, since }: Property, line: string): boolean {
  const until = removedKeys[key];
  return (since === undefined || !isLater(since, line)) && (until === undefined || isLater(until, line));
}

/** Whether a version is of a later line. */
function isLater(version: string, line: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [lineMajor = 0, lineMinor = 0] = line.split(".").map(Number);
  return major > lineMajor || (major === lineMajor && minor > lineMinor);
}
