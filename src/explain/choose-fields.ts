import type { Field } from "./fields.ts";

/**
 * Which fields a pattern means: those at or below a path, items of lists by name or by number, `*` for anything; or the
 * settings of `spark.properties` by their keys.
 */
export function fieldChooser(
  pattern: string | undefined,
): (field: Pick<Field, "path" | "indexed">) => boolean {
  if (pattern === undefined) return () => true;
  const parts = pattern.split("*").map((part) => part.replace(/[.+?^${}()|[\]\\]/g, "\\$&"));
  const expression = new RegExp(`^${parts.join(".*")}(?=$|[.[])`);
  const property = new RegExp(`^data\\[spark\\.properties\\]\\[${parts.join(".*")}\\]$`);
  return ({ path, indexed }) =>
    expression.test(path) || expression.test(indexed) || property.test(path) || path === pattern;
}
