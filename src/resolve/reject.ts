import type { Behaviors } from "../conf/behaviors.ts";
import { errorCodeEntry } from "../errors/find-entry.ts";
import { distinctIssues, type Issue } from "../errors/issue.ts";
import { throwIssues } from "../errors/submit-error.ts";

/**
 * Rejects a submission with problems: with all of them, or as Spark, with the first. Does nothing without problems.
 *
 * @param issues in the order in which Spark finds them, except that its launcher finds those of the kind `usage` before all others
 * @throws SubmitError
 */
export function rejectIfAny(issues: readonly Issue[], { issueReport }: Pick<Behaviors, "issueReport">): void {
  throwIssues(issueReport === "all" ? distinctIssues(issues) : firstOf(issues));
}

function firstOf(issues: readonly Issue[]): readonly Issue[] {
  const ofLauncher = issues.find(({ code }) => errorCodeEntry(code).kind === "usage");
  return ofLauncher === undefined ? issues.slice(0, 1) : [ofLauncher];
}
