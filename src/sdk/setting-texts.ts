import type { Setting } from "../conf/setting.ts";
import { type Issue, issue } from "../errors/issue.ts";

/** Value of an option as a caller without types may pass it. */
type Settings = Readonly<Record<string, unknown>> | undefined;

/** Settings as text, each key once, and the problems of the others. */
export interface SettingTexts {
  readonly settings: readonly Setting[];
  readonly issues: readonly Issue[];
}

/**
 * Prints settings as a command line would contain them. Later groups take precedence. An undefined value is like a missing key.
 *
 * Errors, in `issues`: SUBMIT_ERR_LIBRARY_OPTION for keys without `spark.`, values of other types, and list items with a comma.
 */
export function settingTexts(groups: readonly (readonly [option: string, settings: Settings])[]): SettingTexts {
  const settings = new Map<string, Setting>();
  const issues: Issue[] = [];
  for (const [option, group] of groups) {
    for (const [key, value] of Object.entries(group ?? {})) {
      if (value === undefined) continue;
      const name = `${option}["${key}"]`;
      const text = textOf(name, value);
      if (typeof text !== "string") issues.push(...text);
      else if (!key.startsWith("spark.")) issues.push(foreignKey(name, text));
      else settings.set(key, { key, value: text, origin: { kind: "conf" } });
    }
  }
  return { settings: [...settings.values()], issues };
}

/** Joins the items of a list with commas. Returns issues for items that the list cannot contain. */
export function listText(option: string, items: readonly unknown[]): string | readonly Issue[] {
  const issues = items.flatMap((item, index) => itemIssues(`${option}[${index}]`, item));
  return issues.length === 0 ? items.join(",") : issues;
}

function itemIssues(option: string, item: unknown): readonly Issue[] {
  if (typeof item !== "string") return [invalid(option, item, "is not a string", "Pass a string.")];
  if (item.trim() === "") return [invalid(option, item, "is empty", "Remove it.")];
  if (!item.includes(",")) return [];
  return [invalid(option, item, "contains a comma, which separates items", "Pass each item as an element of its own.")];
}

function textOf(option: string, value: unknown): string | readonly Issue[] {
  if (Array.isArray(value)) return listText(option, value);
  switch (typeof value) {
    case "string":
      return value;
    case "boolean":
      return String(value);
    case "number":
      if (Number.isFinite(value)) return printNumber(value);
      return [invalid(option, value, "is not a finite number", "Pass a number, or the text of the setting.")];
    default:
      return [
        invalid(option, value, "is not a text, number or boolean", "Pass the value as spark-submit's --conf takes it."),
      ];
  }
}

/** Prints a number without exponent: Spark reads sizes and counts in digits. */
function printNumber(value: number): string {
  return Number.isInteger(value) ? BigInt(value).toString() : String(value);
}

function foreignKey(option: string, text: string): Issue {
  return invalid(
    option,
    text,
    "has a key that does not begin with spark",
    "Spark ignores such keys: correct or remove it.",
  );
}

/** Builds the issue of an option. The value is not quoted: it can be a secret. */
export function invalid(option: string, value: unknown, reason: string, instruction: string): Issue {
  return issue("SUBMIT_ERR_LIBRARY_OPTION", { option, value: kindOf(value), reason, instruction });
}

function kindOf(value: unknown): string {
  if (value === undefined || value === null) return String(value);
  if (typeof value === "string") return "the text";
  if (typeof value === "number") return `the number ${value}`;
  return Array.isArray(value) ? "the list" : `the ${typeof value}`;
}
