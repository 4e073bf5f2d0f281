import { editDistance } from "../conf/edit-distance.ts";
import { type Issue, issue } from "../errors/issue.ts";

/** Part of its letters up to which a word is a slip of another. */
const mostSlips = 0.34;

/** One issue for each word that is none of the known ones, with the known one that it may stand for. */
export function unknownOptions(words: readonly string[], known: Iterable<string>): readonly Issue[] {
  const names = [...known];
  return words.map((option) => unknownOption(option, names));
}

/** The same for one word, `--name=value` among them. */
export function unknownOption(option: string, known: Iterable<string>): Issue {
  const [name = ""] = option.split("=");
  let nearest: string | undefined;
  let least = mostSlips * name.length;
  for (const candidate of known) {
    // Most need not be compared letter by letter.
    if (candidate.length < 3 || Math.abs(candidate.length - name.length) > least) continue;
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase());
    if (distance > least) continue;
    if (distance < least) nearest = candidate;
    least = distance;
  }
  return issue("SUBMIT_ERR_ARG_UNKNOWN", { option, nearest });
}
