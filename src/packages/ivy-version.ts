/** Ivy's ranks of qualifiers in a version. */
const specialQualifiers: ReadonlyMap<string, number> = new Map([
  ["dev", -1],
  ["rc", 1],
  ["final", 2],
]);

/**
 * Compares two versions as Ivy's latest-revision strategy does: negative when `one` is older.
 *
 * Letters and digits are separate parts. A number is newer than a word; `dev` is older than every word, `rc` and `final` newer.
 * Additional numbers at the end are newer, additional words older: `1.0-SNAPSHOT` and `33.0-jre` are before `1.0` and `33.0`.
 */
export function compareVersions(one: string, other: string): number {
  const left = partsOf(one);
  const right = partsOf(other);
  const shared = Math.min(left.length, right.length);
  for (let index = 0; index < shared; index += 1) {
    const order = compareParts(left[index] ?? "", right[index] ?? "");
    if (order !== 0) return order;
  }
  if (left.length > shared) return isNumber(left[shared] ?? "") ? 1 : -1;
  if (right.length > shared) return isNumber(right[shared] ?? "") ? -1 : 1;
  return 0;
}

function partsOf(version: string): readonly string[] {
  const apart = version.replace(/([a-zA-Z])(\d)/g, "$1.$2").replace(/(\d)([a-zA-Z])/g, "$1.$2");
  const parts = apart.split(/[-._+]/);
  // Java's split drops empty parts at the end.
  while (parts.length > 1 && parts.at(-1) === "") parts.pop();
  return parts;
}

function compareParts(one: string, other: string): number {
  if (one === other) return 0;
  const isOneNumber = isNumber(one);
  if (isOneNumber !== isNumber(other)) return isOneNumber ? 1 : -1;
  if (isOneNumber) return Math.sign(Number(BigInt(one) - BigInt(other)));
  const rank = specialQualifiers.get(one.toLowerCase());
  const otherRank = specialQualifiers.get(other.toLowerCase());
  if (rank !== undefined || otherRank !== undefined) return (rank ?? 0) - (otherRank ?? 0);
  return one < other ? -1 : 1;
}

function isNumber(text: string): boolean {
  return /^\d+$/.test(text);
}

/** Whether a version is a set to choose from: `[1,2)`, `1.+`, `latest.release`. */
export function isDynamic(version: string): boolean {
  return version.startsWith("latest.") || version.endsWith("+") || parseRange(version) !== undefined;
}

/** Whether a version is in the set of a dynamic version. */
export function isInSet(dynamic: string, version: string): boolean {
  if (dynamic.startsWith("latest.")) return dynamic === "latest.integration" || !/-SNAPSHOT$/.test(version);
  const range = parseRange(dynamic);
  if (range === undefined) return dynamic.endsWith("+") && version.startsWith(dynamic.slice(0, -1));
  const { from, to, hasFrom, hasTo } = range;
  if (from !== "") {
    const order = compareVersions(version, from);
    if (order < 0 || (order === 0 && !hasFrom)) return false;
  }
  if (to !== "") {
    const order = compareVersions(version, to);
    if (order > 0 || (order === 0 && !hasTo)) return false;
  }
  return true;
}

/** Returns the newest version in a set. */
export function newestIn(dynamic: string, versions: readonly string[]): string | undefined {
  return versions
    .filter((version) => isInSet(dynamic, version))
    .reduce<string | undefined>(
      (best, version) => (best === undefined || compareVersions(best, version) <= 0 ? version : best),
      undefined,
    );
}

/** Converts a range of one version, `[1.0]`, to that version. */
export function exactVersion(version: string): string {
  return version.replace(/^\[([^,]*)\]$/, "$1");
}

interface Range {
  readonly from: string;
  readonly to: string;
  readonly hasFrom: boolean;
  readonly hasTo: boolean;
}

/** Parses one interval: `[1,2)`, `]1,2[`, `(,2]`, `[1,)`. Ivy has no unions. */
function parseRange(text: string): Range | undefined {
  const [open, close] = [text.charAt(0), text.slice(1).slice(-1)];
  const [from = "", to, ...more] = text
    .slice(1, -1)
    .split(",")
    .map((version) => version.trim());
  const isInterval = ["[", "]", "("].includes(open) && ["[", "]", ")"].includes(close);
  if (!isInterval || to === undefined || more.length > 0 || (from === "" && to === "")) return undefined;
  return { from, to, hasFrom: open === "[", hasTo: close === "]" };
}
