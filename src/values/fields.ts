/** Plain data with named fields, as JSON and YAML have it. */
export type Fields = Readonly<Record<string, unknown>>;

/** True for plain data with named fields; a list has none. */
export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
