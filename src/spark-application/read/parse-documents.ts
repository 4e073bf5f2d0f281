import { messageOf } from "../../errors/message-of.ts";
import { readPlainYaml } from "../../values/plain-yaml.ts";
import { escapedSlashLine } from "./escaped-slash.ts";

/** Maximum nesting of a document. */
const maxDepth = 100;

/** Maximum number of values of a file, with a copy of its values for each alias. */
const maxValues = 100_000;

/**
 * Parses the documents of a file as kubectl and the API server read YAML: version 1.1, where `no` is false and `0400` is 256. Empty
 * documents are left out.
 *
 * @throws Error with the reason why the text is not YAML
 */
export async function parseDocuments(text: string): Promise<readonly unknown[]> {
  const line = escapedSlashLine(text);
  if (line !== undefined) throw new Error(`\\/ in line ${line} is not an escape of YAML 1.1; write / instead`);
  const plain = readPlainDocument(text);
  if (plain !== undefined) return [plain];
  const { loadAll, ...yaml } = await import("js-yaml");
  const { boolYaml11Tag, defineScalarTag, FAILSAFE_SCHEMA, intYaml11Tag, mergeTag, nullYaml11Tag } = yaml;
  const numberTag = defineScalarTag(intYaml11Tag.tagName, {
    ...intYaml11Tag,
    implicitFirstChars: [..."+-.0123456789"],
    resolve: (source) => toNumber(source) ?? yaml.NOT_RESOLVED,
  });
  const schema = FAILSAFE_SCHEMA.withTags(nullYaml11Tag, boolYaml11Tag, numberTag, mergeTag);
  try {
    const documents = loadAll(text, { schema, maxDepth }).filter((document) => document !== null);
    requireLimits(documents);
    return documents;
  } catch (error) {
    const [reason = ""] = messageOf(error).split("\n");
    throw new Error(reason);
  }
}

/** Largest indentation of a plain document: a level is indented by at least one space, and a list in it by none. */
const maxPlainIndent = maxDepth / 2;

/** Parses a document that needs no complete parser, which takes ms to load, and has no Boolean key. Returns `undefined` for any other text. */
function readPlainDocument(text: string): unknown {
  const isLarge = text.length > maxValues || text.includes(" ".repeat(maxPlainIndent));
  return isLarge || /^[- ]*(y|yes|n|no|on|off|true|false):/im.test(text)
    ? undefined
    : readPlainYaml(text, toPlainScalar);
}

/** Converts a plain scalar. Returns `undefined` for Boolean values in the further spellings of YAML 1.1. */
function toPlainScalar(text: string): string | number | boolean | undefined {
  if (text === "true" || text === "false") return text === "true";
  if (/^(y|yes|n|no|on|off|true|false)$/i.test(text)) return undefined;
  return /^[-+.\d]/.test(text) ? (toNumber(text) ?? text) : text;
}

/** Rejects documents whose aliases contain themselves, or make them too large. */
function requireLimits(documents: readonly unknown[]): void {
  let count = 0;
  const visit = (value: unknown, depth: number): void => {
    count += 1;
    if (depth > maxDepth) throw new Error(`it has more than ${maxDepth} levels, or an anchor that contains itself`);
    if (count > maxValues) throw new Error(`it has more than ${maxValues} values, with those that aliases repeat`);
    if (typeof value !== "object" || value === null) return;
    for (const part of Object.values(value)) visit(part, depth + 1);
  };
  visit(documents, 0);
}

/** Converts a plain scalar as Go's parser does: no times such as `12:30`, and `08` is 8. */
function toNumber(source: string): number | undefined {
  const plain = source.replaceAll("_", "");
  const [, sign = "", digits = ""] = /^([+-]?)(.*)$/s.exec(plain) ?? [];
  const special = specialNumbers[digits.toLowerCase()];
  if (special !== undefined) return sign === "-" ? -special : special;
  const value = integerOf(digits) ?? (/^(\.\d+|\d+(\.\d*)?)(e[+-]?\d+)?$/i.test(digits) ? Number(digits) : undefined);
  return value === undefined || !sign.startsWith("-") ? value : -value;
}

const specialNumbers: Readonly<Record<string, number>> = {
  ".inf": Number.POSITIVE_INFINITY,
  ".nan": Number.NaN,
};

function integerOf(digits: string): number | undefined {
  if (/^(0|[1-9]\d*)$/.test(digits)) return Number(digits);
  if (/^0b[01]+$/i.test(digits) || /^0x[0-9a-f]+$/i.test(digits)) return Number(digits);
  const octal = /^0o?([0-7]+)$/i.exec(digits)?.[1];
  return octal === undefined ? undefined : Number.parseInt(octal, 8);
}
