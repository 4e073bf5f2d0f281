import { editDistance } from "./edit-distance.ts";

/** Beyond it two keys have too little in common: a segment more or less and a slip, or a few slips. */
const farthest = 1.4;
/** Most keys that are offered. */
const mostOffers = 3;
/** For a setting of one role that only the other has. */
const otherRole = 0.9;
/** For `driver.env` instead of `driverEnv`, and the reverse. */
const joined = 0.1;
/** Part of its letters beyond which a segment is no slip, but another word: one too many, and one missing. */
const mostSlips = 0.4;
const anotherWord = 2;
/** A word that is meant, surely. */
const slip = 0.25;

/**
 * The known keys that are nearest to a misspelt one, the nearest only, sorted; none where nothing is near. Families, which
 * end with a dot, are compared with as much of the key as they have, and offered with the rest of it.
 *
 * Distance: segments that are missing or too many count 1, misspelt ones the part of their letters that differs.
 */
export function nearestKeys(key: string, known: Iterable<string>): readonly string[] {
  const segments = key.split(".");
  let offers: string[] = [];
  let nearest = farthest;
  for (const candidate of known) {
    const { offer, distance } = compare(segments, candidate);
    if (distance > nearest + tie) continue;
    if (distance < nearest - tie) offers = [];
    nearest = Math.min(nearest, distance);
    offers.push(offer);
  }
  const distinct = [...new Set(offers)].sort();
  return distinct.length > mostOffers ? [] : distinct;
}

const tie = 1e-9;

function compare(segments: readonly string[], candidate: string): { offer: string; distance: number } {
  if (!candidate.endsWith(".")) {
    return { offer: candidate, distance: keyDistance(segments, candidate.split(".")) };
  }
  const family = candidate.slice(0, -1).split(".");
  // The key may have a segment more or less than the family before the member's name begins.
  const tries = [family.length - 1, family.length, family.length + 1]
    .filter((length) => length < segments.length)
    .map((length) => ({
      offer: `${candidate}${segments.slice(length).join(".")}`,
      distance: familyDistance(segments.slice(0, length), family),
    }));
  return tries.reduce((best, next) => (next.distance < best.distance ? next : best), {
    offer: candidate,
    distance: Number.POSITIVE_INFINITY,
  });
}

/** What a family ends with must be there, else any key would be a member of it. */
function familyDistance(segments: readonly string[], family: readonly string[]): number {
  const ends = [-1, -2].map((from) => [segments.slice(from).join(""), family.slice(from).join("")] as const);
  const [[own = "", last = ""] = [], [ownTwo = "", lastTwo = ""] = []] = ends;
  const isThere = [segmentCost(own, last), segmentCost(ownTwo, last), segmentCost(own, lastTwo)].some(
    (cost) => cost <= slip,
  );
  return isThere ? keyDistance(segments, family) : Number.POSITIVE_INFINITY;
}

/** Levenshtein's distance of segments; two of them may have become one. */
function keyDistance(a: readonly string[], b: readonly string[]): number {
  if (Math.abs(a.length - b.length) > farthest) return Number.POSITIVE_INFINITY;
  const table: number[][] = [];
  const at = (i: number, j: number) => table[i]?.[j] ?? Number.POSITIVE_INFINITY;
  for (let i = 0; i <= a.length; i += 1) {
    table.push([]);
    for (let j = 0; j <= b.length; j += 1) {
      const [x = "", y = ""] = [a[i - 1], b[j - 1]];
      const ways = [
        at(i - 1, j) + 1,
        at(i, j - 1) + 1,
        at(i - 1, j - 1) + segmentCost(x, y),
        at(i - 2, j - 1) + joinedCost(`${a[i - 2]}${x}`, y),
        at(i - 1, j - 2) + joinedCost(x, `${b[j - 2]}${y}`),
      ];
      table[i]?.push(i === 0 && j === 0 ? 0 : Math.min(...ways));
    }
  }
  return at(a.length, b.length);
}

function joinedCost(a: string, b: string): number {
  const cost = segmentCost(a, b);
  return cost <= slip ? joined + cost : Number.POSITIVE_INFINITY;
}

function segmentCost(a: string, b: string): number {
  if (a === b) return 0;
  if ((a === "driver" && b === "executor") || (a === "executor" && b === "driver")) return otherRole;
  const longest = Math.max(a.length, b.length);
  if (Math.abs(a.length - b.length) > mostSlips * longest) return anotherWord;
  const part = editDistance(a.toLowerCase(), b.toLowerCase()) / longest;
  return part > mostSlips ? anotherWord : Math.max(part, 0.05);
}
