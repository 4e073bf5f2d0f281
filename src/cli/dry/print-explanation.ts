import { nameOfCause } from "../../explain/cause.ts";
import type { ExplainedField, Reason } from "../../explain/explain.ts";
import type { LeafValue } from "../../explain/leaves.ts";
import type { Redaction } from "../../explain/redact-field.ts";
import { printLeaf } from "./print-leaf.ts";
import type { SettingOrigins } from "./setting-origins.ts";

/** Context of a printed explanation. */
export interface ExplanationStyle {
  readonly origins: SettingOrigins;
  readonly redaction: Redaction;
}

/** Prints an explanation for people: a paragraph per object, a line per field, and a line per cause of its value. */
export function printExplanation(fields: readonly ExplainedField[], style: ExplanationStyle): string {
  const objects = [...new Set(fields.map(({ object }) => object))];
  const paragraphs = objects.map((object) => {
    const own = fields.filter((field) => field.object === object);
    return `${object}\n${own.map((field) => printField(field, style)).join("")}`;
  });
  return paragraphs.length === 0 ? "No field matches.\n" : paragraphs.join("\n");
}

function printField(field: ExplainedField, style: ExplanationStyle): string {
  const { path, steps, reasons } = field;
  const value = printLeaf(style.redaction.ofField(field, field.value));
  const lines = reasons.map((reason) => `      ${printReason(reason, field, style)}\n`);
  const by = steps.length === 0 ? [] : [steps.join(", ")];
  const basis = [...by, ...(reasons.length === 0 ? ["default"] : [])].join(": ");
  return `  ${path}: ${value}\n${basis === "" ? "" : `      ${basis}\n`}${lines.join("")}`;
}

function printReason(
  { cause, without, force }: Reason,
  field: ExplainedField,
  style: ExplanationStyle,
): string {
  const other = printLeaf(shownWithout(without, field, style));
  const otherwise = without === undefined ? "absent" : other;
  switch (cause.kind) {
    case "setting": {
      const setting = `${cause.key}=${printLeaf(style.redaction.ofSetting(cause.key, cause.value))}`;
      return `${setting} from ${style.origins.get(cause.key) ?? "the driver"}${consequence(force, otherwise)}`;
    }
    case "word":
    case "machine":
      return cause.what;
    case "variable":
      return `variable ${cause.name}; without it: ${otherwise}`;
    case "chance":
      return `${cause.what}: generated for each submission`;
    case "release":
      return `Spark ${cause.line}; up to ${cause.before}: ${otherwise}`;
  }
}

function consequence(force: Reason["force"], otherwise: string): string {
  switch (force) {
    case "changes":
      return `; without it: ${otherwise}`;
    case "needed":
      return "; required";
    case "same":
      return "; without it: the same";
  }
}

function shownWithout(
  without: LeafValue | undefined,
  field: ExplainedField,
  { redaction }: ExplanationStyle,
) {
  return without === undefined ? null : redaction.ofField(field, without);
}

/** Builds the explanation of a field as JSON. */
export function toPlainField(field: ExplainedField, style: ExplanationStyle) {
  const { part, object, path, indexed, steps, reasons } = field;
  return {
    ...{ part, object, path, indexedPath: indexed, steps },
    value: style.redaction.ofField(field, field.value),
    reasons: reasons.map((reason) => toPlainReason(reason, field, style)),
  };
}

function toPlainReason({ cause, without, force }: Reason, field: ExplainedField, style: ExplanationStyle) {
  const { redaction, origins } = style;
  const settingFields =
    cause.kind === "setting"
      ? {
          value: redaction.ofSetting(cause.key, cause.value),
          from: origins.get(cause.key),
          origin: cause.origin,
        }
      : {};
  return {
    ...{ kind: cause.kind, name: nameOfCause(cause), force, ...settingFields },
    ...(cause.kind === "release" ? { upTo: cause.before } : {}),
    ...(force === "needed" || without === undefined ? {} : { without: redaction.ofField(field, without) }),
  };
}
