import { driverPodName } from "../../conf/entries/driver.ts";
import { type Issue, issue, issuesOf } from "../../errors/issue.ts";
import { scheduleTimes } from "../../spark-application/schedule/schedule-times.ts";
import type { NewSchedule } from "../model/schedules.ts";
import { requestName } from "../submit/to-submission.ts";

/** Maximum length of a schedule's name: the name of a run adds a dash and a time in ns, and has at most 63 characters. */
export const maxNameLength = 43;

/** Checks what makes a schedule impossible. Errors: SUBMIT_ERR_MANIFEST_RULE, SUBMIT_ERR_MANIFEST_SCHEDULE. */
export function scheduleIssues(schedule: Pick<NewSchedule, "name" | "rules" | "application">): readonly Issue[] {
  const { name, rules, application } = schedule;
  return [...lengthIssues(name), ...issuesOf(scheduleTimes(requestName, rules)), ...podNameIssues(application)];
}

function lengthIssues({ length }: string): readonly Issue[] {
  if (length <= maxNameLength) return [];
  const problem = `has ${length} characters, but names of runs add a dash and 19 digits`;
  const advice = `Use at most ${maxNameLength} characters.`;
  return [issue("SUBMIT_ERR_MANIFEST_RULE", { file: requestName, path: "name", problem, advice })];
}

/** The driver of an ended run keeps its name until the run is removed. */
function podNameIssues(application: NewSchedule["application"]): readonly Issue[] {
  const problem = "is set, but each run needs a driver pod of its own";
  const advice = "Remove it: the gateway names the driver of each run.";
  return podNamesOf(application)
    .filter(([, value]) => value !== undefined && value !== "")
    .map(([path]) => issue("SUBMIT_ERR_MANIFEST_RULE", { file: requestName, path, problem, advice }));
}

function podNamesOf(application: NewSchedule["application"]): readonly (readonly [string, unknown])[] {
  const { key } = driverPodName;
  if (!("kind" in application)) return [[`application.conf, ${key}`, application.conf?.[key]]];
  const { driver, sparkConf } = application.spec;
  return [
    ["spec.template.driver.podName", driver.podName],
    [`spec.template.sparkConf, ${key}`, sparkConf?.[key]],
  ];
}
