import { findLine, logEvidence } from "../evidence.ts";
import { type Failure, findFailure } from "../failure.ts";
import type { Rule } from "../rule.ts";
import { withoutStagedDirectories } from "../staged-path.ts";
import type { View } from "../view.ts";
import { hasOomKilledExecutor, lostWork, ofExecutors, ofLostExecutor } from "./lost-executors.ts";
import { exitEvidence } from "./run.ts";

const remedy = "Check the location that the message names; the whole trace is in the driver log.";

const own = exceptionRule("an exception in the driver log", (failure, view) => !isOfExecutors(failure, view));
const any = exceptionRule("an exception in the driver log", () => true);

function isOfExecutors(failure: Failure, view: View): boolean {
  return (
    isAbout(failure, ofExecutors) ||
    isAbout(failure, lostWork) ||
    (isAbout(failure, ofLostExecutor) && hasOomKilledExecutor(view))
  );
}

function isAbout({ message, lines }: Failure, pattern: RegExp): boolean {
  return pattern.test(message) || lines.some(({ text }) => pattern.test(text));
}

function exceptionRule(seen: string, fits: (failure: Failure, view: View) => boolean): Rule {
  return {
    cause: "application-exception",
    seen,
    remedy,
    find: (view) => {
      const { driver, stage, properties } = view;
      if (driver === undefined || stage !== "endedBadly") return undefined;
      const failure = findFailure(driver.main.log);
      if (failure === undefined || !fits(failure, view)) return undefined;
      const { className, message, head, ...rest } = taskFailure(failure);
      const shown = (text: string | undefined) => text && withoutFinalMark(withoutStagedDirectories(text, properties));
      const [reason, location, root] = [message, rest.location, rest.root].map(shown);
      return {
        message: `The application threw ${className}${reason === "" ? "" : `: ${reason}`}${location === undefined ? "" : `, in ${location}`}${root === undefined ? "" : `; caused by ${root}`}.`,
        nextStep: location === undefined ? undefined : `Check ${location}; the trace is in the driver log.`,
        evidence: [logEvidence(driver.main, head), exitEvidence(driver)],
      };
    },
  };
}

/** Removes the mark with which Spark ends messages, e.g. of an AnalysisException: the sentence goes on. */
function withoutFinalMark(text: string): string {
  return text.replace(/(?<!\.)[.;]$/, "");
}

/** Replaces the exception of a job by that of the task that failed too often and so ended the job. */
function taskFailure(failure: Failure): Failure {
  const task = findLine(failure.lines, /Lost task \S+ in stage .* executor \S+\): ((?:[\w$]+\.)+[\w$]+)(?:: (.*))?$/);
  // The exception of Python code is better known than that of the task in which it ran.
  if (task === undefined || task.match[1]?.endsWith(".PythonException")) return failure;
  const [, className = failure.className, message = ""] = task.match;
  return { ...failure, className, message, root: undefined, head: task.line };
}

/** Rules for exceptions that the application itself threw, not its executors. */
export const ownExceptionRules: readonly Rule[] = [own];

/** Rules for all other exceptions that ended the driver. */
export const anyExceptionRules: readonly Rule[] = [any];
