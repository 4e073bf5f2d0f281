/** Ivy's ranks of qualifiers in a version. */
const specialQualifiers: ReadonlyMap<string, number> = new Map([
  ["dev", -1],
  ["rc", 1],
  ["final", 2],
]);

/**
 * Compares two versions as Ivy's latest-revision strategy does: negative when `one` is older.
 *
 * Letters and digits that touch are apart; a number beats a word; `dev` is before every word, `rc` and `final` after; and more
 * numbers at the end are newer, more words older. So `1.0-SNAPSHOT` is before `1.0`, and `33.0-jre` too.
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

/** Whether a version names a set of which one has to be chosen: `[1,2)`, `1.+`, `latest.release`. */
export function isDynamic(version: string): boolean {
  return version.startsWith("latest.") || version.endsWith("+") || parseRange(version) !== undefined;
}

/** Whether a version is in the set that a dynamic one names. */
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

/** The newest of the versions in a set. */
export function newestIn(dynamic: string, versions: readonly string[]): string | undefined {
  return versions
    .filter((version) => isInSet(dynamic, version))
    .reduce<string | undefined>(
      (best, version) => (best === undefined || compareVersions(best, version) <= 0 ? version : best),
      undefined,
    );
}

/** A range of one version, `[1.0]`, is that version. */
export function exactVersion(version: string): string {
  return version.replace(/^\[([^,]*)\]$/, "$1");
}

interface Range {
  readonly from: string;
  readonly to: string;
  readonly hasFrom: boolean;
  readonly hasTo: boolean;
}

/** `[1,2)`, `]1,2[`, `(,2]`, `[1,)`: one interval. Ivy knows no unions. */
function parseRange(text: string): Range | undefined {
  const [, open, from = "", to = "", close] = /^([[\](])\s*([^,]*?)\s*,\s*([^,]*?)\s*([[\])])$/.exec(text) ?? [];
  if (open === undefined || (from === "" && to === "")) return undefined;
  return { from, to, hasFrom: open === "[", hasTo: close === "]" };
}
