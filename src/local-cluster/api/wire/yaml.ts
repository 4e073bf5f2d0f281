import { loadAll, mergeTag, Schema, timestampTag, YAML11_SCHEMA, YAMLException } from "js-yaml";

/** YAML 1.1, as Kubernetes parses it: `y` is a boolean; timestamps stay strings. */
const schema = new Schema([...YAML11_SCHEMA.tags.filter((tag) => tag !== timestampTag), mergeTag]);

interface Yaml {
  readonly value?: unknown;
  /** The syntax error. */
  readonly fault?: string;
  /** Warnings about duplicate keys; the last value counts. */
  readonly repeated: readonly string[];
}

/** Parses the first document of a YAML text; an empty text is an object without fields. */
export function parseYaml(text: string): Yaml {
  try {
    return { value: firstDocument(text, { json: false }), repeated: [] };
  } catch (error) {
    const fault = faultOf(error);
    return fault.startsWith("duplicated mapping key") ? parseRepeated(text, error) : { fault, repeated: [] };
  }
}

/** Parses a text with duplicate keys, which can have other errors behind them. */
function parseRepeated(text: string, duplicate: unknown): Yaml {
  const repeated = duplicate instanceof YAMLException ? repeatedKey(text, duplicate) : [];
  try {
    return { value: firstDocument(text, { json: true }), repeated };
  } catch (error) {
    return { fault: faultOf(error), repeated: [] };
  }
}

/** Returns the message of a syntax error. @throws other errors */
function faultOf(error: unknown): string {
  if (!(error instanceof YAMLException)) throw error;
  return error.message.split("\n", 1)[0] ?? "";
}

function firstDocument(text: string, options: { readonly json: boolean }): unknown {
  const [first = {}] = loadAll(text, { schema, ...options });
  return first;
}

function repeatedKey(text: string, { mark }: YAMLException): readonly string[] {
  if (mark === undefined) return [];
  const line = text.split("\n")[mark.line] ?? "";
  const [, key = ""] = /^["']?([^"':\s]+)/.exec(line.slice(mark.column)) ?? [];
  return [`line ${mark.line + 1}: key ${JSON.stringify(key)} already set in map`];
}
