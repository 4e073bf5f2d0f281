import { type Cause, nameOfCause } from "../../explain/cause.ts";
import type { ExplainedField } from "../../explain/explain.ts";
import type { Redaction } from "../../explain/redact-field.ts";
import { visibleLines } from "../../host/visible-lines.ts";
import { printLeaf } from "./print-leaf.ts";
import type { SettingOrigins } from "./setting-origins.ts";

/** Context of a printed explanation. */
interface ExplanationStyle {
  readonly origins: SettingOrigins;
  readonly redaction: Redaction;
}

/** Prints an explanation for people: a paragraph per object, a line per field, and a line per cause of its value. */
export function printExplanation(fields: readonly ExplainedField[], style: ExplanationStyle): string {
  const objects = [...new Set(fields.map(({ object }) => object))];
  if (objects.length === 0) return "No field matches.\n";
  const paragraphs = objects.map((object) => {
    const own = fields.filter((field) => field.object === object);
    return [object, ...own.flatMap((field) => fieldLines(field, style))];
  });
  const lines = paragraphs.flatMap((paragraph, index) => (index === 0 ? paragraph : ["", ...paragraph]));
  return `${visibleLines(lines).join("\n")}\n`;
}

function fieldLines(field: ExplainedField, style: ExplanationStyle): readonly string[] {
  const { path, steps, causes } = field;
  const value = printLeaf(style.redaction.ofField(field, field.value));
  const details = [...(steps.length === 0 ? [] : [steps.join(", ")]), ...causeLines(causes, style)];
  return [`  ${path}: ${value}`, ...details.map((line) => `      ${line}`)];
}

/** Prints a line per cause, and one line for all defaults. */
function causeLines(causes: readonly Cause[], style: ExplanationStyle): readonly string[] {
  const defaults = causes.flatMap((cause) =>
    cause.kind === "default"
      ? [cause.value === undefined ? `${cause.key} is not set` : `${cause.key}=${cause.value}`]
      : [],
  );
  const lines = causes.flatMap((cause) => printCause(cause, style) ?? []);
  return [...lines, ...(defaults.length === 0 ? [] : [`defaults: ${defaults.join(", ")}`])];
}

function printCause(cause: Cause, { redaction, origins }: ExplanationStyle): string | undefined {
  switch (cause.kind) {
    case "setting": {
      const setting = `${cause.key}=${printLeaf(redaction.ofSetting(cause.key, cause.value))}`;
      return `${setting} from ${origins.get(cause.key) ?? "the driver"}`;
    }
    case "default":
      return undefined;
    case "argument":
    case "machine":
      return cause.what;
    case "variable":
      return `variable ${cause.name}`;
    case "generated":
      return `${cause.what}: generated for each submission`;
    case "version":
      return `Spark ${cause.text}`;
    case "release":
      return `Spark ${cause.line}; other up to ${cause.before}`;
  }
}

/** Builds the explanation of a field as JSON. */
export function toPlainField(field: ExplainedField, style: ExplanationStyle) {
  const { part, object, path, indexed, steps, causes } = field;
  return {
    ...{ part, object, path, indexedPath: indexed, steps },
    value: style.redaction.ofField(field, field.value),
    causes: causes.map((cause) => toPlainCause(cause, style)),
  };
}

function toPlainCause(cause: Cause, { redaction, origins }: ExplanationStyle) {
  const named = { kind: cause.kind, name: nameOfCause(cause) };
  switch (cause.kind) {
    case "setting":
      return {
        ...named,
        value: redaction.ofSetting(cause.key, cause.value),
        from: origins.get(cause.key),
        origin: cause.origin,
      };
    case "default":
      return { ...named, value: cause.value };
    case "release":
      return { ...named, upTo: cause.before };
    default:
      return named;
  }
}
