import type { Diagnosis } from "../../../diagnosis/diagnosis.ts";
import { withoutDriverFields } from "../../without-driver-fields.ts";

const maxEvidence = 3;
const maxEvidenceChars = 300;

/** Prints a diagnosis for the log: lines with the problem, its evidence, the next step and the setting to change. */
export function printProblem({ message, evidence, nextStep, key }: Diagnosis): readonly string[] {
  const quotes = evidence
    .slice(0, maxEvidence)
    .map(({ in: source, text }) => `\t evidence (${sources[source]}): ${firstLine(text)}`);
  const setting = key === undefined ? [] : [`\t setting: ${key}`];
  return [message, ...quotes, `\t next step: ${nextStep}`, ...setting].map(withoutDriverFields);
}

/** Prints that a problem no longer exists. */
export function printProblemResolved({ message }: Diagnosis): readonly string[] {
  return [withoutDriverFields(`Resolved: ${message}`)];
}

/** Names of the sources of evidence. */
const sources = {
  pod: "driver pod",
  event: "event",
  executor: "executor pod",
  log: "driver log",
  initLog: "init container's log",
  sideCarLog: "sidecar's log",
  executorLog: "executor's log",
  rejection: "API response",
  object: "another object",
};

function firstLine(text: string): string {
  const [line = ""] = text.split("\n");
  return line.length > maxEvidenceChars ? `${line.slice(0, maxEvidenceChars)}...` : line;
}
