import { editDistance } from "./edit-distance.ts";

/** Maximum distance of a suggestion: one segment more or less and a typo, or several typos. */
const maxDistance = 1.4;
/** Maximum number of suggestions. */
const maxSuggestions = 3;
/** Cost of a setting of one role that only the other role has. */
const otherRole = 0.9;
/** Cost of `driver.env` instead of `driverEnv`, and the reverse. */
const joined = 0.1;
/** Maximum share of a segment's letters that typos change. Beyond it, the segment is a different one. */
const maxTypoShare = 0.4;
/** Cost of a different segment: one too many, and one missing. */
const differentSegment = 2;
/** Maximum cost of a segment that is certainly a typo. */
const certainTypo = 0.25;

/**
 * Finds the known keys that are nearest to a misspelled one, sorted. Families, which end with a dot, are compared with the
 * start of the key and suggested with the rest of it.
 *
 * Distance: 1 for each missing or additional segment, and the share of different letters for a misspelled one.
 */
export function nearestKeys(key: string, known: Iterable<string>): readonly string[] {
  const segments = key.split(".");
  const costOf = rememberCosts();
  let suggestions: string[] = [];
  let nearest = maxDistance;
  for (const candidate of known) {
    const { suggestion, distance } = compare(segments, candidate, costOf);
    if (distance > nearest + tie) continue;
    if (distance < nearest - tie) suggestions = [];
    nearest = Math.min(nearest, distance);
    suggestions.push(suggestion);
  }
  const distinct = [...new Set(suggestions)].sort();
  return distinct.length > maxSuggestions ? [] : distinct;
}

const tie = 1e-9;

/** Cost of one segment or two joined ones instead of another. */
type CostOf = (a: string, b: string) => number;

/** Returns `segmentCost` with a memory: known keys consist of few different segments. */
function rememberCosts(): CostOf {
  const costs = new Map<string, number>();
  return (a, b) => {
    if (a === b) return 0;
    const pair = `${a}.${b}`;
    const cost = costs.get(pair) ?? segmentCost(a, b);
    costs.set(pair, cost);
    return cost;
  };
}

function compare(
  segments: readonly string[],
  candidate: string,
  costOf: CostOf,
): { suggestion: string; distance: number } {
  if (!candidate.endsWith(".")) {
    return { suggestion: candidate, distance: keyDistance(segments, candidate.split("."), costOf) };
  }
  const family = candidate.slice(0, -1).split(".");
  // Before the member's name, the key may have one segment more or less than the family.
  const tries = [family.length - 1, family.length, family.length + 1]
    .filter((length) => length < segments.length)
    .map((length) => ({
      suggestion: `${candidate}${segments.slice(length).join(".")}`,
      distance: familyDistance(segments.slice(0, length), family, costOf),
    }));
  return tries.reduce((best, next) => (next.distance < best.distance ? next : best), {
    suggestion: candidate,
    distance: Number.POSITIVE_INFINITY,
  });
}

/** Computes the distance to a family, whose last segment must occur: otherwise any key would be a member. */
function familyDistance(segments: readonly string[], family: readonly string[], costOf: CostOf): number {
  const ends = [-1, -2].map((from) => [segments.slice(from).join(""), family.slice(from).join("")] as const);
  const [[own = "", last = ""] = [], [ownTwo = "", lastTwo = ""] = []] = ends;
  const isThere = [costOf(own, last), costOf(ownTwo, last), costOf(own, lastTwo)].some((cost) => cost <= certainTypo);
  return isThere ? keyDistance(segments, family, costOf) : Number.POSITIVE_INFINITY;
}

/** Computes the Levenshtein distance of segments, in which two segments may be joined to one. */
function keyDistance(a: readonly string[], b: readonly string[], costOf: CostOf): number {
  if (Math.abs(a.length - b.length) > maxDistance) return Number.POSITIVE_INFINITY;
  let beforeLast: number[] = [];
  let last: number[] = [];
  for (let i = 0; i <= a.length; i += 1) {
    const row: number[] = [];
    const [before = "", x = ""] = [a[i - 2], a[i - 1]];
    for (let j = 0; j <= b.length; j += 1) {
      const y = b[j - 1] ?? "";
      let cost = i === 0 && j === 0 ? 0 : Math.min(costAt(last, j), costAt(row, j - 1)) + 1;
      if (i > 0 && j > 0) cost = Math.min(cost, costAt(last, j - 1) + costOf(x, y));
      if (i > 1 && j > 0) cost = Math.min(cost, costAt(beforeLast, j - 1) + joinedCost(before, x, y, costOf));
      if (i > 0 && j > 1) cost = Math.min(cost, costAt(last, j - 2) + joinedCost(b[j - 2] ?? "", y, x, costOf));
      row.push(cost);
    }
    [beforeLast, last] = [last, row];
  }
  return costAt(last, b.length);
}

function costAt(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY;
}

/** Cost of two segments instead of one that joins them. */
function joinedCost(first: string, second: string, joint: string, costOf: CostOf): number {
  const length = first.length + second.length;
  if (Math.abs(length - joint.length) > certainTypo * Math.max(length, joint.length)) return Number.POSITIVE_INFINITY;
  const cost = costOf(`${first}${second}`, joint);
  return cost <= certainTypo ? joined + cost : Number.POSITIVE_INFINITY;
}

function segmentCost(a: string, b: string): number {
  if ((a === "driver" && b === "executor") || (a === "executor" && b === "driver")) return otherRole;
  const longest = Math.max(a.length, b.length);
  const edits = editDistance(a.toLowerCase(), b.toLowerCase(), maxTypoShare * longest);
  return Number.isFinite(edits) ? Math.max(edits / longest, 0.05) : differentSegment;
}
