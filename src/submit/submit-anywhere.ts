import { sparkLog } from "../host/log.ts";
import { acceptUnderstood } from "./resolve/accept-understood.ts";
import type { ResolveInput } from "./resolve/resolve.ts";
import { type SubmissionElsewhere, understand } from "./resolve/understand.ts";
import type { SubmitCall } from "./submit.ts";
import type { SubmitOutcome } from "./submit-outcome.ts";

/**
 * Submits an application wherever its master and its deploy mode say: what is not for Kubernetes in cluster mode is given to
 * `elsewhere`, as it is understood, and nothing is told of it yet. What is refused is refused before anything loads that submits.
 *
 * @throws SubmitError as `submit` does
 */
export async function submitAnywhere<T>(
  call: Omit<ResolveInput, "log"> & Pick<SubmitCall, "log" | "extraSteps" | "openClient">,
  elsewhere: (submission: SubmissionElsewhere) => Promise<T>,
): Promise<SubmitOutcome | T> {
  const log = call.log ?? sparkLog(call.host);
  const understood = understand({ ...call, log });
  const { master, strict } = understood;
  // Exactly Spark's behaviour: a shell starts wherever its driver may not run, and a local Spark refuses it itself.
  const isShell = strict && call.invocation.shell !== undefined;
  const place = isShell ? "jvm" : master.ok ? master.value.place : "kubernetes";
  const isGiven = strict || understood.refusal.length === 0;
  if (master.ok && place !== "kubernetes" && isGiven)
    return elsewhere({
      ...understood,
      openEmbedded: call.openEmbedded,
      master: { ...master.value, place },
      issues: [...understood.issues, ...understood.refusal],
    });
  const accepted = { understood, master: acceptUnderstood(understood) };
  const { submitUnderstood } = await import("./submit.ts");
  return submitUnderstood(call, accepted);
}
