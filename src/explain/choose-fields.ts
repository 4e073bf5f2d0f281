import type { Field } from "./fields.ts";

/**
 * Returns a filter for the fields that a pattern matches: at or below a path, with list items by name or number and `*` for any text;
 * or settings of `spark.properties` by key.
 */
export function fieldChooser(pattern: string | undefined): (field: Pick<Field, "path" | "indexed">) => boolean {
  if (pattern === undefined) return () => true;
  const parts = pattern.split("*").map((part) => part.replace(/[.+?^${}()|[\]\\]/g, "\\$&"));
  const expression = new RegExp(`^${parts.join(".*")}(?=$|[.[])`);
  const property = new RegExp(`^data\\[spark\\.properties\\]\\[${parts.join(".*")}\\]$`);
  return ({ path, indexed }) =>
    expression.test(path) || expression.test(indexed) || property.test(path) || path === pattern;
}
