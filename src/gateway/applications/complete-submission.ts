import { messageOf } from "../../errors/submit-error.ts";
import type { Entry } from "./entry.ts";
import { type ApplicationsScope, changeSurely } from "./scope.ts";
import { submitEntry } from "./submit-entry.ts";
import { traceSubmission } from "./trace-attempt.ts";

/**
 * Completes a submission that another process interrupted, or still performs: its driver exists, but may lack objects that are created after
 * it. Marks the record as submitted, also if that fails: a driver is never created twice.
 */
export async function completeSubmission(scope: ApplicationsScope, entry: Entry): Promise<void> {
  const { key, appId } = entry.record;
  try {
    await submitEntry(scope, entry, { earlierDriver: "required", onOutput: () => {} });
  } catch (error) {
    scope.log("WARN", "An interrupted submission cannot be completed.", { key, reason: messageOf(error) });
  }
  entry.submittedMs = scope.host.clock.now();
  if (entry.end === undefined && (await changeSurely(scope, entry, { appId }))) traceSubmission(scope, entry);
}
