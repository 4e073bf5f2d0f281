import { isUtf8 } from "node:buffer";
import { loadAll, mergeTag, Schema, timestampTag, YAML11_SCHEMA, YAMLException } from "js-yaml";
import { jsonOfYaml, maxYamlDepth, YamlValueError } from "./json-of-yaml.ts";

/** YAML 1.1, as Kubernetes parses it: `y` is a boolean; timestamps stay strings. */
const schema = new Schema([...YAML11_SCHEMA.tags.filter((tag) => tag !== timestampTag), mergeTag]);

interface Yaml {
  /** The JSON value. */
  readonly value?: unknown;
  /** The error, with Kubernetes' prefix. */
  readonly fault?: string;
  /** Warnings about duplicate keys; the last value counts. */
  readonly repeated: readonly string[];
}

/** Parses the first document of a YAML text; an empty text is an object without fields. */
export function parseYaml(content: Uint8Array): Yaml {
  if (!isUtf8(content)) return { fault: "yaml: invalid leading UTF-8 octet", repeated: [] };
  const document = firstDocument(Buffer.from(content).toString("utf8"));
  if (controlCharacter.test(document)) return { fault: "yaml: control characters are not allowed", repeated: [] };
  try {
    return { value: load(document, { json: false }), repeated: [] };
  } catch (error) {
    if (error instanceof YamlValueError) return { fault: error.message, repeated: [] };
    if (!(error instanceof YAMLException)) throw error;
    if (error.message.startsWith("duplicated mapping key")) return parseRepeated(document, error);
    return { fault: syntaxFault(error), repeated: [] };
  }
}

/** Parses a document with duplicate keys. */
function parseRepeated(document: string, duplicate: YAMLException): Yaml {
  const repeated = repeatedKey(document, duplicate);
  try {
    return { value: load(document, { json: true }), repeated };
  } catch (error) {
    if (error instanceof YamlValueError) return { fault: error.message, repeated };
    if (error instanceof YAMLException) return { fault: syntaxFault(error), repeated };
    throw error;
  }
}

/** Returns the first line of the parser's message; for nesting, Kubernetes' message. */
function syntaxFault({ message }: YAMLException): string {
  const [line = ""] = message.split("\n", 1);
  return `yaml: ${line.replace(/^nesting exceeded maxDepth \((\d+)\)/, "exceeded max depth of $1")}`;
}

/** Characters that YAML does not allow, even in quotes. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are searched for
const controlCharacter = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff]/;

/** A line that starts or ends a document. It cannot be a part of a scalar. */
const marker = /^(?:---|\.\.\.)(?=\s|$)/gm;

/** Returns the text up to the end of its first document: the others are ignored, even if they are invalid. */
function firstDocument(text: string): string {
  for (const { 0: found, index } of text.matchAll(marker)) {
    const start = text.slice(0, index);
    const isStart = found === "---" && start.split("\n").every((line) => /^[%#]|^\s*$/.test(line));
    if (!isStart) return start;
    const end = [...text.slice(index + found.length).matchAll(marker)][0]?.index;
    return end === undefined ? text : text.slice(0, index + found.length + end);
  }
  return text;
}

function load(document: string, options: { readonly json: boolean }): unknown {
  const [first = {}] = loadAll(document, { schema, maxDepth: maxYamlDepth, ...options });
  return jsonOfYaml(first, document);
}

/** Returns Kubernetes' error for duplicate keys in strict validation. */
export function repeatedFault(repeated: readonly string[]): string {
  return ["yaml: unmarshal errors:", ...repeated].join("\n  ");
}

function repeatedKey(text: string, { mark }: YAMLException): readonly string[] {
  if (mark === undefined) return [];
  const line = text.split("\n")[mark.line] ?? "";
  const [, key = ""] = /^["']?([^"':\s]+)/.exec(line.slice(mark.column)) ?? [];
  return [`line ${mark.line + 1}: key ${JSON.stringify(key)} already set in map`];
}
