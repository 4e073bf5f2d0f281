import type { Diagnosis } from "../../../diagnosis/diagnosis.ts";

const most = 3;
const longest = 300;

/** A diagnosis in the log: what is wrong, where it is seen, what to do. */
export function printProblem({ message, evidence, nextStep, key }: Diagnosis): string {
  const seen = evidence
    .slice(0, most)
    .map(({ in: place, text }) => `\t seen (${places[place]}): ${short(text)}`);
  const setting = key === undefined ? [] : [`\t setting: ${key}`];
  return harmless([message, ...seen, `\t next step: ${nextStep}`, ...setting].join("\n"));
}

/** What is said when it has passed. */
export function printProblemResolved({ message }: Diagnosis): string {
  return harmless(`This has passed: ${message}`);
}

/** Tools take the last `exit code: N` of all that is said for the driver's: in other places it is written otherwise. */
function harmless(text: string): string {
  return text.replace(/(exit code):(?=\s*\d)/gi, "$1");
}

/** Where evidence stands, in words. */
const places = {
  pod: "driver pod",
  event: "event",
  executor: "executor pod",
  log: "driver log",
  initLog: "init container's log",
  sideCarLog: "side-car's log",
  executorLog: "executor's log",
  rejection: "answer of the API",
  object: "another object",
};

function short(text: string): string {
  const [line = ""] = text.split("\n");
  return line.length > longest ? `${line.slice(0, longest)}...` : line;
}
