import type { Diagnosis } from "../../../diagnosis/diagnosis.ts";
import type { LogLevel } from "../../../host/log.ts";
import { printProblem, printProblemResolved } from "./print-problem.ts";

/** Problems that have been logged about a driver. Times are monotonic ms. */
export interface ProblemReport {
  /** The problem that was logged last and not as resolved. */
  readonly logged?: { readonly diagnosis: Diagnosis; readonly at: number };
  /** Start of the time without a problem. */
  readonly healthySince?: number;
}

/** Result of a transition: the next state, and the text to log. */
interface ReportTransition {
  readonly report: ProblemReport;
  readonly text?: { readonly level: LogLevel; readonly lines: readonly string[] };
}

/** A problem that returns within this time was not resolved. */
const resolvedMs = 5000;
/** Minimum time between two lines about the same cause. */
const repeatMs = 60_000;

/** State before the first diagnosis. */
export const initialReport: ProblemReport = {};

/** Decides whether to log a diagnosis: if the problem is new, has changed for a minute, or has been resolved. */
export function nextReport(report: ProblemReport, diagnosis: Diagnosis | undefined, nowMs: number): ReportTransition {
  const { logged } = report;
  if (diagnosis === undefined || diagnosis.isResolved === true) {
    if (logged === undefined) return { report };
    const { healthySince = nowMs } = report;
    if (diagnosis === undefined && nowMs - healthySince < resolvedMs) return { report: { logged, healthySince } };
    return { report: {}, text: { level: "INFO", lines: printProblemResolved(logged.diagnosis) } };
  }
  if (logged?.diagnosis.cause === diagnosis.cause) {
    const isSame = withoutPorts(logged.diagnosis.message) === withoutPorts(diagnosis.message);
    if (isSame || nowMs - logged.at < repeatMs) return { report: { logged } };
  }
  return {
    report: { logged: { diagnosis, at: nowMs } },
    text: { level: "WARN", lines: printProblem(diagnosis) },
  };
}

/** Removes local ports, which differ in each attempt to reach a registry. */
function withoutPorts(message: string): string {
  return message.replace(/:\d+->/g, "->");
}
