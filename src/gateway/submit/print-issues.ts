import { asSentence } from "../../errors/as-sentence.ts";
import type { Issue } from "../../errors/issue.ts";

/** Prints problems for a client: each in a line, as its message and its hint. */
export function printIssues(issues: readonly Issue[]): string {
  return issues
    .map(({ message, hint }) => (hint === undefined ? message : `${asSentence(message)} ${hint}`))
    .join("\n");
}
