import type { Diagnosis } from "../diagnosis/diagnosis.ts";

/** What a program reads: one line of JSON; `cause` is `none` where nothing is wrong. */
export function printDiagnosisJson(diagnosis: Diagnosis | undefined): string {
  return `${JSON.stringify(diagnosisJson(diagnosis))}\n`;
}

/** The same as plain data. `over` is there only where the trouble has passed. */
export function diagnosisJson(diagnosis: Diagnosis | undefined) {
  if (diagnosis === undefined) return { ...nothing, evidence: [] };
  const { cause, isTerminal, isResolved = false, message, nextStep, key, evidence } = diagnosis;
  return {
    cause,
    terminal: isTerminal,
    ...(isResolved ? { over: true } : {}),
    ...{ message, nextStep, key: key ?? null, evidence },
  };
}

const nothing = {
  cause: "none",
  terminal: false,
  message: "Nothing is wrong with the driver.",
  nextStep: "",
  key: null,
};

/** What a person reads: what is wrong, what to do, where it is seen. */
export function printDiagnosis(diagnosis: Diagnosis | undefined): string {
  if (diagnosis === undefined) return `${nothing.message}\n`;
  const { cause, message, nextStep, key, evidence } = diagnosis;
  const rows: readonly (readonly [string, string])[] = [
    ["Cause", `${cause} (${durationOf(diagnosis)})`],
    ["To do", nextStep],
    ...(key === undefined ? [] : [["Setting", key] as const]),
    ...evidence.map(({ in: place, text }) => ["Seen", `${places[place]}: ${firstLine(text)}`] as const),
  ];
  return [message, ...rows.map(([name, text]) => `  ${name.padEnd(8)}${text}`), ""].join("\n");
}

/** Where evidence stands, in words. */
const places = {
  pod: "status of the pod",
  event: "event",
  executor: "status of an executor",
  log: "log of the driver",
  initLog: "log of an init container",
  sideCarLog: "log of a side-car",
  executorLog: "log of an executor",
  rejection: "answer of the API",
  object: "another object",
};

function durationOf({ isTerminal, isResolved = false }: Diagnosis): string {
  if (isResolved) return "it has passed";
  return isTerminal ? "stays so until somebody changes something" : "may pass by itself";
}

function firstLine(text: string): string {
  return /^.*/.exec(text)?.[0] ?? "";
}
