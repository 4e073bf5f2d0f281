import { type Log, sparkLog } from "../host/log.ts";
import type { SettingsInput } from "../resolve/resolve-settings.ts";
import { resolveSubmission } from "../resolve/resolve-submission.ts";
import type { SubmitContext } from "./master-strategy.ts";
import { loadStrategy } from "./strategies.ts";
import type { SubmitOutcome } from "./submit-outcome.ts";

/**
 * A submission as a command line specifies it.
 *
 * @example
 * ```ts
 * const call: SubmitCall = { host: nodeHost(), invocation };
 * ```
 */
export interface SubmitCall extends Omit<SettingsInput, "log">, SubmitContext {
  /** @default stderr, in Spark's layout */
  readonly log?: Log;
}

/**
 * Submits an application to the cluster manager of its master, and waits for it if the settings say so.
 *
 * @throws SubmitError if Firesteel or the cluster manager rejects the submission; all created objects are rolled back
 */
export async function submitInvocation(call: SubmitCall): Promise<SubmitOutcome> {
  const submission = await resolveSubmission({ ...call, log: call.log ?? sparkLog(call.host) });
  const strategy = await loadStrategy(submission.master.strategy);
  return strategy.submit(submission, call);
}
