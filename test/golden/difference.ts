/** Lists the differences of two plain values as paths with both values. */
export function differenceOf(expected: unknown, actual: unknown, path: string): readonly string[] {
  if (Object.is(expected, actual)) return [];
  if (!isTree(expected) || !isTree(actual) || Array.isArray(expected) !== Array.isArray(actual)) {
    return [`${path}: ${JSON.stringify(actual) ?? "nothing"}, not ${JSON.stringify(expected) ?? "nothing"}`];
  }
  const keys = new Set([...Object.keys(expected), ...Object.keys(actual)]);
  return [...keys].flatMap((key) => differenceOf(expected[key], actual[key], `${path}.${key}`));
}

function isTree(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
