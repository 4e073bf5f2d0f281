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
  const table: number[][] = [];
  const at = (i: number, j: number) => table[i]?.[j] ?? Number.POSITIVE_INFINITY;
  for (let i = 0; i <= a.length; i += 1) {
    table.push([]);
    for (let j = 0; j <= b.length; j += 1) {
      const [x = "", y = ""] = [a[i - 1], b[j - 1]];
      const costs = [
        at(i - 1, j) + 1,
        at(i, j - 1) + 1,
        at(i - 1, j - 1) + costOf(x, y),
        at(i - 2, j - 1) + joinedCost(`${a[i - 2]}${x}`, y, costOf),
        at(i - 1, j - 2) + joinedCost(x, `${b[j - 2]}${y}`, costOf),
      ];
      table[i]?.push(i === 0 && j === 0 ? 0 : Math.min(...costs));
    }
  }
  return at(a.length, b.length);
}

function joinedCost(a: string, b: string, costOf: CostOf): number {
  if (Math.abs(a.length - b.length) > certainTypo * Math.max(a.length, b.length)) return Number.POSITIVE_INFINITY;
  const cost = costOf(a, b);
  return cost <= certainTypo ? joined + cost : Number.POSITIVE_INFINITY;
}

function segmentCost(a: string, b: string): number {
  if (a === b) return 0;
  if ((a === "driver" && b === "executor") || (a === "executor" && b === "driver")) return otherRole;
  const longest = Math.max(a.length, b.length);
  const edits = editDistance(a.toLowerCase(), b.toLowerCase(), maxTypoShare * longest);
  return Number.isFinite(edits) ? Math.max(edits / longest, 0.05) : differentSegment;
}
