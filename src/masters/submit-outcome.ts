import type { KubernetesOutcome } from "./kubernetes/submit-outcome.ts";

/** Outcome of a submission that was not rejected. */
export type SubmitOutcome = KubernetesOutcome | ExitOutcome;

/** Outcome of a submission whose cluster manager reports an exit code instead of a driver pod. */
export interface ExitOutcome {
  readonly end: { readonly kind: "exited"; readonly exitCode: number };
  readonly podName?: undefined;
  readonly namespace?: undefined;
}

/** Wraps an exit code as an outcome. */
export function exitOutcome(exitCode: number): ExitOutcome {
  return { end: { kind: "exited", exitCode } };
}
