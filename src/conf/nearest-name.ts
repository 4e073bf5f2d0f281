import { editDistance } from "./edit-distance.ts";

/** Maximum edit distance of a typo, as a fraction of the length. */
const maxTypoRatio = 0.34;

/** Names of fewer characters are similar to too many others. */
const minLength = 3;

/**
 * Returns the known name that a misspelled one means: the only rule for options, commands, values, names of clusters and masters.
 * Case does not count. For keys of settings, `nearestKeys` compares segments.
 */
export function nearestName(name: string, known: Iterable<string>): string | undefined {
  let nearest: string | undefined;
  let least = maxTypoRatio * name.length;
  for (const candidate of known) {
    // Skips the expensive comparison of names whose lengths differ too much.
    if (candidate.length < minLength || Math.abs(candidate.length - name.length) > least) continue;
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase());
    if (distance > least || (distance === least && nearest !== undefined)) continue;
    nearest = candidate;
    least = distance;
  }
  return nearest;
}
