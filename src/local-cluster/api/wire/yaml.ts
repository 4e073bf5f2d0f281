import { load, mergeTag, Schema, timestampTag, YAML11_SCHEMA, YAMLException } from "js-yaml";

/** Kubernetes reads YAML 1.1, where `y` is a boolean; what looks like a time stays text. */
const schema = new Schema([...YAML11_SCHEMA.tags.filter((tag) => tag !== timestampTag), mergeTag]);

/** Reads a YAML text of one document; `fault` says why it cannot be read. */
export function parseYaml(text: string): { readonly value?: unknown; readonly fault?: string } {
  try {
    return { value: load(text, { schema }) };
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    return { fault: error.message.split("\n", 1)[0] ?? "" };
  }
}
