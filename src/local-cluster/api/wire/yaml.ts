import { loadAll, mergeTag, Schema, timestampTag, YAML11_SCHEMA, YAMLException } from "js-yaml";

/** Kubernetes reads YAML 1.1, where `y` is a boolean; what looks like a time stays text. */
const schema = new Schema([...YAML11_SCHEMA.tags.filter((tag) => tag !== timestampTag), mergeTag]);

export interface Yaml {
  readonly value?: unknown;
  /** Why it cannot be read. */
  readonly fault?: string;
  /** Keys that are set twice, in the words of a warning; the last counts. */
  readonly repeated: readonly string[];
}

/** Reads a YAML text: the first of its documents; none is an object without fields. */
export function parseYaml(text: string): Yaml {
  try {
    return { value: firstDocument(text, { json: false }), repeated: [] };
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    const fault = error.message.split("\n", 1)[0] ?? "";
    if (!fault.startsWith("duplicated mapping key")) return { fault, repeated: [] };
    return { value: firstDocument(text, { json: true }), repeated: repeatedKey(text, error) };
  }
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
