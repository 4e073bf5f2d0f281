import { digits, isMadeOf, letters } from "./characters.ts";

/** Value of plain YAML. */
type PlainNode = string | number | boolean | null | readonly PlainNode[] | { readonly [key: string]: PlainNode };

/** Converts a text without quotes. Returns `undefined` if it needs the complete parser. */
type ToScalar = (text: string) => string | number | boolean | undefined;

interface Cursor {
  readonly toScalar: ToScalar;
  readonly lines: { readonly indent: number; readonly text: string }[];
  at: number;
}

/**
 * Parses YAML in the form that tools write: block mappings and lists, each text on its own line. Returns `undefined` for any other
 * text, which may still be YAML: the caller then loads a complete parser, which costs ms.
 *
 * Source: YAML 1.2.2, of which this is a part; the failsafe schema with null, unless `toScalar` converts texts.
 */
export function readPlainYaml(text: string, toScalar: ToScalar = (scalar) => scalar): PlainNode | undefined {
  if (/[^\n -~]/.test(text)) return undefined;
  const lines = text
    .split("\n")
    .map((line) => {
      const unindented = line.trimStart();
      return { indent: line.length - unindented.length, text: unindented };
    })
    .filter((line) => line.text !== "" && !line.text.startsWith("#"));
  const cursor: Cursor = { toScalar, lines, at: 0 };
  const value = readMapping(cursor, 0);
  return cursor.at === lines.length ? value : undefined;
}

/** Splits a line into a key and the text after it. Returns `undefined` if the line is not a plain entry of a mapping. */
function splitEntry(line: string): { readonly key: string; readonly text: string | undefined } | undefined {
  const colon = line.indexOf(":");
  const key = line.slice(0, Math.max(colon, 0));
  const after = line.slice(colon + 1);
  const isKey =
    key !== "" && firstKeyCharacters.includes(key.charAt(0)) && isMadeOf(key, `${firstKeyCharacters}${digits}./-`);
  if (!isKey || (after !== "" && !after.startsWith(" "))) return undefined;
  return { key, text: after === "" ? undefined : after.trimStart() };
}

const firstKeyCharacters = `${letters}_`;
const nulls = ["null", "Null", "NULL"];

function readMapping(cursor: Cursor, indent: number): PlainNode | undefined {
  const fields = new Map<string, PlainNode>();
  for (let line = next(cursor); line?.indent === indent && !isItem(line.text); line = next(cursor)) {
    const { key, text } = splitEntry(line.text) ?? { key: "" };
    if (["", "__proto__", ...nulls].includes(key) || fields.has(key)) return undefined;
    cursor.at += 1;
    const value = text === undefined ? readNested(cursor, indent) : readText(cursor, text);
    // A deeper line belongs to this text.
    if (value === undefined || (next(cursor)?.indent ?? 0) > indent) return undefined;
    fields.set(key, value);
  }
  return fields.size === 0 ? undefined : Object.fromEntries(fields);
}

function readNested(cursor: Cursor, indent: number): PlainNode | undefined {
  const line = next(cursor);
  if (line === undefined || line.indent < indent) return null;
  if (isItem(line.text)) return readList(cursor, line.indent);
  return line.indent === indent ? null : readMapping(cursor, line.indent);
}

function readList(cursor: Cursor, indent: number): PlainNode | undefined {
  const items: PlainNode[] = [];
  for (let line = next(cursor); line?.indent === indent && isItem(line.text); line = next(cursor)) {
    const text = line.text.slice(2);
    const isEntry = splitEntry(text) !== undefined;
    if (isEntry) cursor.lines[cursor.at] = { indent: indent + 2, text };
    else cursor.at += 1;
    const value = isEntry ? readMapping(cursor, indent + 2) : readText(cursor, text);
    if (value === undefined || (next(cursor)?.indent ?? 0) > indent) return undefined;
    items.push(value);
  }
  return items;
}

function next({ lines, at }: Cursor) {
  return lines[at];
}

function isItem(text: string): boolean {
  return text.startsWith("- ");
}

function readText({ toScalar }: Cursor, text: string): PlainNode | undefined {
  if (text === "{}") return {};
  if (text === "[]") return [];
  const quote = text.charAt(0);
  if (quote === '"' || quote === "'") {
    const inner = text.slice(1, -1);
    const isPlain = text.length > 1 && text.endsWith(quote) && !inner.includes(quote);
    return isPlain && (quote === "'" || !inner.includes("\\")) ? inner : undefined;
  }
  const isPlainStart =
    `${firstKeyCharacters}${digits}/.+`.includes(quote) || (quote === "-" && !["", " "].includes(text.charAt(1)));
  const hasSyntax = [": ", " #", "  "].some((mark) => `${text} `.includes(mark));
  if (text === "" || !isPlainStart || hasSyntax) return undefined;
  return nulls.includes(text) ? null : toScalar(text);
}
