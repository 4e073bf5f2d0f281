import { messageOf, submitError } from "../../errors/submit-error.ts";
import { readPlainYaml } from "../../values/plain-yaml.ts";

/** One kubeconfig file, as far as it is well formed. */
export interface KubeconfigFile {
  readonly currentContext: string | undefined;
  readonly contexts: readonly Entry[];
  readonly clusters: readonly Entry[];
  readonly users: readonly Entry[];
}

/** A named part of a kubeconfig, or a part of that. */
export interface Entry {
  readonly name: string;
  /** Path of its file. */
  readonly path: string;
  readonly text: (key: string) => string | undefined;
  readonly child: (key: string) => Entry | undefined;
  /** As parsed, all scalars being text: for lists and maps of rare keys. */
  readonly value: (key: string) => unknown;
}

/** Reads a kubeconfig: YAML or JSON. @throws SUBMIT_ERR_KUBE_CONFIG */
export async function parseKubeconfig(path: string, text: string): Promise<KubeconfigFile> {
  const document = await parseYaml(path, text, "untyped");
  if (!isMapping(document)) {
    throw submitError("SUBMIT_ERR_KUBE_CONFIG", { path, reason: "it is not a mapping" });
  }
  const list = (key: string, part: string): readonly Entry[] => {
    const items: unknown = document[key];
    return (Array.isArray(items) ? items : []).flatMap((item: unknown) => {
      if (!isMapping(item) || typeof item["name"] !== "string") return [];
      return [toEntry(path, item["name"], isMapping(item[part]) ? item[part] : {})];
    });
  };
  const current = document["current-context"];
  return {
    currentContext: typeof current === "string" ? current : undefined,
    contexts: list("contexts", "context"),
    clusters: list("clusters", "cluster"),
    users: list("users", "user"),
  };
}

/**
 * Parses a YAML document. `untyped` scalars stay text: a token of digits is a token.
 *
 * @throws SUBMIT_ERR_KUBE_CONFIG
 */
export async function parseYaml(path: string, text: string, scalars: "typed" | "untyped"): Promise<unknown> {
  const plain = scalars === "untyped" ? readPlainYaml(text) : undefined;
  if (plain !== undefined) return plain;
  const { CORE_SCHEMA, FAILSAFE_SCHEMA, load, mergeTag, nullCoreTag } = await import("js-yaml");
  const untyped = FAILSAFE_SCHEMA.withTags(mergeTag, nullCoreTag);
  try {
    return load(text, { schema: scalars === "typed" ? CORE_SCHEMA.withTags(mergeTag) : untyped });
  } catch (error) {
    // The parser's message quotes lines of the file, which holds secrets. Report only the first line, without values
    // that start with * or !.
    const [line = ""] = messageOf(error).split("\n");
    const reason = line.replace(/".*"|!<.*>/, "(not shown)");
    throw submitError("SUBMIT_ERR_KUBE_CONFIG", { path, reason });
  }
}

function toEntry(path: string, name: string, fields: Readonly<Record<string, unknown>>): Entry {
  return {
    name,
    path,
    text(key) {
      const value = fields[key];
      return typeof value === "string" ? value : undefined;
    },
    child(key) {
      const value = fields[key];
      return isMapping(value) ? toEntry(path, name, value) : undefined;
    },
    value: (key) => fields[key],
  };
}

/** Returns whether a value is a mapping. */
export function isMapping(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
