import { editDistance } from "../conf/edit-distance.ts";
import { type Issue, issue } from "../errors/issue.ts";

/** Maximum edit distance of a typo, as a fraction of the length. */
const maxTypoRatio = 0.34;

/** Builds the issue for an unknown option, which can have the form `--name=value`. */
export function unknownOption(option: string, known: Iterable<string>): Issue {
  const [name = ""] = option.split("=");
  let nearest: string | undefined;
  let least = maxTypoRatio * name.length;
  for (const candidate of known) {
    // Skips the expensive comparison of names whose lengths differ too much.
    if (candidate.length < 3 || Math.abs(candidate.length - name.length) > least) continue;
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase());
    if (distance > least) continue;
    if (distance < least) nearest = candidate;
    least = distance;
  }
  return issue("SUBMIT_ERR_ARG_UNKNOWN", { option, nearest });
}
