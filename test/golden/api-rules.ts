import { isRecord } from "./plain-data.ts";

/** Builds a predicate for the `labelSelector` and `fieldSelector` of a query. */
export function applySelectors(
  query: URLSearchParams,
): (object: { readonly metadata: Readonly<Record<string, unknown>> }) => boolean {
  const terms = (query.get("labelSelector") ?? "").split(",").filter(Boolean);
  const [, fieldName] = /^metadata\.name==?(.+)$/.exec(query.get("fieldSelector") ?? "") ?? [];
  return ({ metadata }) => {
    const labels = isRecord(metadata["labels"]) ? metadata["labels"] : {};
    return (
      (fieldName === undefined || metadata["name"] === fieldName) &&
      terms.every((term) => {
        const [, label = term, operator, value] = /^([^!=]+?)(!=|==?)(.*)$/.exec(term) ?? [];
        if (operator === undefined) return label in labels;
        return (labels[label] === value) === (operator !== "!=");
      })
    );
  };
}

/** Applies a merge patch (RFC 7386) to `target`. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) return patch;
  const result: Record<string, unknown> = isRecord(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = mergePatch(result[key], value);
  }
  return result;
}

/** Applies a JSON patch (RFC 6902) with `add`, `replace` and `remove` of object members. */
export function jsonPatch(target: unknown, patch: string): unknown {
  const operations: readonly { op: string; path: string; value?: unknown }[] = JSON.parse(patch);
  return operations.reduce((object, { op, path, value }) => {
    const parts = path
      .split("/")
      .slice(1)
      .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
    const nested = parts.reduceRight<unknown>((inner, part) => ({ [part]: inner }), op === "remove" ? null : value);
    return mergePatch(object, nested);
  }, target);
}
