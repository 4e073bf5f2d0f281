import type { Diagnosis } from "./diagnosis.ts";

/** Diagnosis of a driver without a problem. */
export const noProblem = {
  cause: "none",
  terminal: false,
  message: "No problem found with the driver.",
  nextStep: "",
  key: null,
};

/** Builds the JSON of a diagnosis; its `cause` is `none` without a problem. `over` exists only for a problem that is resolved. */
export function diagnosisJson(diagnosis: Diagnosis | undefined) {
  if (diagnosis === undefined) return { ...noProblem, evidence: [] };
  const { cause, isTerminal, isResolved = false, message, nextStep, key, evidence } = diagnosis;
  return {
    cause,
    terminal: isTerminal,
    ...(isResolved ? { over: true } : {}),
    ...{ message, nextStep, key: key ?? null, evidence },
  };
}
