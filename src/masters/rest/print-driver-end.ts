import { indentedLines } from "../../host/visible-text.ts";
import { exitCodes } from "../../plan/exit-codes.ts";
import { printSpan } from "../print-span.ts";
import type { DriverEnd, KillAttempt } from "./await-driver.ts";
import { hasSucceeded } from "./driver-report.ts";

interface EndedDriver {
  readonly id: string;
  /** As an option `--master` names it. */
  readonly master: string;
}

/** Returns the exit code of a submission that waited. */
export function endExitCode(end: DriverEnd): number {
  switch (end.kind) {
    case "ended":
      return hasSucceeded(end.response) ? exitCodes.ok : exitCodes.failed;
    case "unknown":
      return exitCodes.failed;
    case "timedOut":
      return exitCodes.timedOut;
    case "interrupted":
      return exitCodes[end.signal];
  }
}

/** Prints an unsuccessful outcome as `Error: …` and `Hint: …` lines. */
export function printDriverEnd(end: DriverEnd, driver: EndedDriver): string {
  return endLines(end, driver)
    .map((line) => `${indentedLines(line)}\n`)
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
        `Error: The driver ${id} ended with the state ${driverState}.`,
        ...workers.map((worker) => `Hint: Read its output on ${worker}, in the directory ${id} of its work directory.`),
      ];
    }
    case "unknown":
      return [`Error: The outcome of the driver ${id} is unknown: ${master} has removed it.`];
    case "timedOut": {
      const what = end.why === "startTimeout" ? "did not start" : "did not end";
      const killed = end.kill.isKilled ? " and was killed" : "";
      const error = `Error: The driver ${id} ${what} within ${printSpan(end.limitMs)}${killed}.`;
      return [error, ...killLines(end.kill, driver)];
    }
    case "interrupted":
      if (end.kill?.isKilled === true) return [`Interrupted; the driver ${id} was killed.`];
      return [
        `Interrupted; the driver ${id} keeps running.`,
        ...(end.kill === undefined
          ? [`Hint: Check its status: spark-submit --status ${id} --master ${master}`, killHint(driver)]
          : killLines(end.kill, driver)),
      ];
  }
}

function killLines({ isKilled, problems }: KillAttempt, driver: EndedDriver): readonly string[] {
  if (isKilled) return [];
  return [...problems.map(({ message }) => `Error: Cannot kill it: ${message}`), killHint(driver)];
}

function killHint({ id, master }: EndedDriver): string {
  return `Hint: Kill it: spark-submit --kill ${id} --master ${master}`;
}
