import type { Diagnosis } from "../diagnosis/diagnosis.ts";
import { diagnosisJson, noProblem } from "../diagnosis/diagnosis-json.ts";
import { indentedLines } from "../host/visible-text.ts";

/** Prints a diagnosis as one line of JSON; `cause` is `none` without a problem. */
export function printDiagnosisJson(diagnosis: Diagnosis | undefined): string {
  return `${JSON.stringify(diagnosisJson(diagnosis))}\n`;
}

/** Prints a diagnosis for people: the problem, the next step, the evidence. */
export function printDiagnosis(diagnosis: Diagnosis | undefined): string {
  if (diagnosis === undefined) return `${noProblem.message}\n`;
  const { cause, message, nextStep, key, evidence } = diagnosis;
  const rows: readonly (readonly [string, string])[] = [
    ["Cause", `${cause} (${durationOf(diagnosis)})`],
    ["Next", nextStep],
    ...(key === undefined ? [] : [["Setting", key] as const]),
    ...evidence.map(({ in: source, text }) => ["Seen", `${sources[source]}: ${firstLine(text)}`] as const),
  ];
  return [message, ...rows.map(([name, text]) => `  ${name.padEnd(8)}${text}`)]
    .map((line) => `${indentedLines(line)}\n`)
    .join("");
}

/** Sources of evidence, as printed. */
const sources = {
  pod: "status of the pod",
  event: "event",
  executor: "status of an executor",
  log: "log of the driver",
  initLog: "log of an init container",
  sideCarLog: "log of a sidecar",
  executorLog: "log of an executor",
  rejection: "response of the API",
  object: "another object",
};

function durationOf({ isTerminal, isResolved = false }: Diagnosis): string {
  if (isResolved) return "resolved";
  return isTerminal ? "permanent without a change" : "can resolve by itself";
}

function firstLine(text: string): string {
  return /^.*/.exec(text)?.[0] ?? "";
}
