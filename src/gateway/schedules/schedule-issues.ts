import { type Issue, issue, issuesOf } from "../../errors/issue.ts";
import { scheduleTimes } from "../../spark-application/schedule/schedule-times.ts";
import type { NewSchedule } from "../model/schedules.ts";
import { requestName } from "../submit/to-submission.ts";

/** Maximum length of a schedule's name: the name of a run adds a dash and a time in ns, and has at most 63 characters. */
export const maxNameLength = 43;

/** Checks the name and the times of a schedule. Errors: SUBMIT_ERR_MANIFEST_RULE, SUBMIT_ERR_MANIFEST_SCHEDULE. */
export function scheduleIssues({ name, rules }: Pick<NewSchedule, "name" | "rules">): readonly Issue[] {
  return [...lengthIssues(name), ...issuesOf(scheduleTimes(requestName, rules))];
}

function lengthIssues({ length }: string): readonly Issue[] {
  if (length <= maxNameLength) return [];
  const problem = `has ${length} characters, but names of runs add a dash and 19 digits`;
  const advice = `Use at most ${maxNameLength} characters.`;
  return [issue("SUBMIT_ERR_MANIFEST_RULE", { file: requestName, path: "name", problem, advice })];
}
