import { isArray, setField } from "../json.ts";

/** Maximum nesting of YAML. Kubernetes allows 10,000 levels, but the parser calls itself for each level. */
export const maxYamlDepth = 500;

/** Maximum text that aliases add, in characters. Kubernetes has no such limit, so that some texts fill its memory. */
const maxAliasCharacters = 3 * 1024 * 1024;

/** A value that JSON cannot express, or that aliases make too large. */
export class YamlValueError extends Error {}

interface Conversion {
  /** Arrays and objects so far: one that occurs again comes from an alias. */
  readonly known: Set<object>;
  /** Arrays and objects that contain the current one. */
  readonly outer: Set<object>;
  values: number;
  aliasedValues: number;
  /** Characters of all texts and names. */
  characters: number;
  readonly maxCharacters: number;
}

/**
 * Converts parsed YAML to JSON, with a copy for each alias. Limits the size of the result.
 *
 * @throws YamlValueError
 */
export function jsonOfYaml(value: unknown, text: string): unknown {
  const maxCharacters = text.length + maxAliasCharacters;
  const start = { known: new Set<object>(), outer: new Set<object>(), values: 0, aliasedValues: 0, characters: 0 };
  return convert({ ...start, maxCharacters }, value, false);
}

function convert(conversion: Conversion, value: unknown, isAliased: boolean): unknown {
  conversion.values += 1;
  if (isAliased) conversion.aliasedValues += 1;
  if (hasExcessiveAliases(conversion)) throw new YamlValueError("yaml: document contains excessive aliasing");
  if (typeof value === "string") return convertText(conversion, value);
  if (typeof value === "number" && !Number.isFinite(value)) {
    const shown = Number.isNaN(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf";
    throw new YamlValueError(`json: unsupported value: ${shown}`);
  }
  if (value instanceof Uint8Array) return Buffer.from(value).toString("utf8");
  if (typeof value !== "object" || value === null) return value;
  if (conversion.outer.has(value)) throw new YamlValueError("yaml: an anchor's value contains itself");
  if (conversion.outer.size >= maxYamlDepth) {
    throw new YamlValueError(`yaml: exceeded max depth of ${maxYamlDepth}`);
  }
  const isKnown = isAliased || conversion.known.has(value);
  conversion.known.add(value);
  conversion.outer.add(value);
  const result = convertParts(conversion, value, isKnown);
  conversion.outer.delete(value);
  return result;
}

function convertParts(conversion: Conversion, value: object, isAliased: boolean): unknown {
  if (isArray(value)) return value.map((item) => convert(conversion, item, isAliased));
  const result: Record<string, unknown> = {};
  const fields = value instanceof Set ? [...value].map((name) => [String(name), null] as const) : Object.entries(value);
  for (const [name, content] of fields) {
    setField(result, convertText(conversion, name), convert(conversion, content, isAliased));
  }
  return result;
}

function convertText(conversion: Conversion, text: string): string {
  if (/\p{Cs}/u.test(text)) throw new YamlValueError("yaml: found invalid Unicode character escape code");
  conversion.characters += text.length;
  return text;
}

/**
 * Whether too much of the values comes from aliases: more than 99 % of up to 400,000 values; of more, a share that falls to 10 % for
 * 4 million. Source: Kubernetes 1.35, go.yaml.in/yaml/v2.
 */
function hasExcessiveAliases({ values, aliasedValues, characters, maxCharacters }: Conversion): boolean {
  if (characters > maxCharacters) return true;
  const excess = Math.min(Math.max((values - 400_000) / 3_600_000, 0), 1);
  return aliasedValues > 100 && values > 1000 && aliasedValues / values > 0.99 - 0.89 * excess;
}
