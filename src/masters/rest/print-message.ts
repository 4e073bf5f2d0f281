/** Value of a message field. Maps have text values. */
type MessageValue = string | boolean | readonly string[] | Readonly<Record<string, string>>;

/** Protocol message by field. `undefined` fields are omitted. */
type MessageFields = Readonly<Record<string, MessageValue | undefined>>;

/**
 * Prints a message like Spark's client: names in alphabetical order, spaces around colons, lists in one line.
 *
 * Source: Spark SubmitRestProtocolMessage.toJson, with Jackson's usual indentation.
 */
export function printMessage(fields: MessageFields): string {
  return printObject(fields, "");
}

function printValue(value: MessageValue, indent: string): string {
  if (typeof value !== "object") return JSON.stringify(value);
  if (isList(value)) {
    return value.length === 0 ? "[ ]" : `[ ${value.map((item) => JSON.stringify(item)).join(", ")} ]`;
  }
  return printObject(value, indent);
}

function printObject(fields: MessageFields, indent: string): string {
  const inner = `${indent}  `;
  const entries = Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1));
  const rows = entries.flatMap(([name, value]) =>
    value === undefined ? [] : [`${inner}${JSON.stringify(name)} : ${printValue(value, inner)}`],
  );
  return rows.length === 0 ? "{ }" : `{\n${rows.join(",\n")}\n${indent}}`;
}

function isList(value: object): value is readonly string[] {
  return Array.isArray(value);
}
