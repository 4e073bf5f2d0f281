import { exitCodes } from "../../plan/exit-codes.ts";
import { printSpan } from "../kubernetes/monitor/span.ts";
import type { DriverEnd, KillAttempt } from "./await-driver.ts";
import { hasSucceeded } from "./driver-report.ts";

/** Ended driver and its context. */
export interface EndedDriver {
  readonly id: string;
  /** As an option `--master` names it. */
  readonly master: string;
}

/** The exit code of a submission that waited. */
export function endExitCode(end: DriverEnd): number {
  switch (end.kind) {
    case "ended":
      return hasSucceeded(end.response) ? exitCodes.ok : exitCodes.failed;
    case "unknown":
      return exitCodes.failed;
    case "givenUp":
      return exitCodes.timedOut;
    case "interrupted":
      return exitCodes[end.signal];
  }
}

/** Prints an unsuccessful outcome and the next steps. */
export function printDriverEnd(end: DriverEnd, driver: EndedDriver): string {
  return endLines(end, driver)
    .map((line) => `${line}\n`)
    .join("");
}

function endLines(end: DriverEnd, driver: EndedDriver): readonly string[] {
  const { id, master } = driver;
  switch (end.kind) {
    case "ended": {
      const { driverState, workerId, workerHostPort } = end.response;
      if (hasSucceeded(end.response)) return [];
      const workers = workerHostPort === undefined ? [] : [`worker ${workerId ?? ""} at ${workerHostPort}`];
      return [
        `The driver ${id} ended as ${driverState}.`,
        ...workers.map((worker) => `Hint: Its outputs are on ${worker}, in its work folder under ${id}.`),
      ];
    }
    case "unknown":
      return [`The end of the driver ${id} is not known: ${master} has forgotten it.`];
    case "givenUp": {
      const what = end.why === "startTimeout" ? "had not started" : "had not ended";
      const killed = end.kill.isKilled ? " and was killed" : "";
      return [
        `The driver ${id} ${what} after ${printSpan(end.limitMs)}${killed}.`,
        ...leftLines(end.kill, driver),
      ];
    }
    case "interrupted":
      if (end.kill?.isKilled === true) return [`Interrupted; the driver ${id} was killed.`];
      return [
        `Interrupted; the driver ${id} goes on without us.`,
        ...(end.kill === undefined ? lookLines(driver) : leftLines(end.kill, driver)),
      ];
  }
}

function leftLines({ isKilled, problems }: KillAttempt, { id, master }: EndedDriver): readonly string[] {
  if (isKilled) return [];
  return [
    ...problems.map(({ message }) => `It could not be killed: ${message}`),
    `Hint: To end it: spark-submit --kill ${id} --master ${master}`,
  ];
}

function lookLines({ id, master }: EndedDriver): readonly string[] {
  return [
    `Hint: To see its status: spark-submit --status ${id} --master ${master}`,
    `Hint: To end it: spark-submit --kill ${id} --master ${master}`,
  ];
}
