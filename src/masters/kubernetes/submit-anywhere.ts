import { issuesOf } from "../../errors/issue.ts";
import { sparkLog } from "../../host/log.ts";
import { delegateToLocalSpark } from "../../resolve/delegate-to-local-spark.ts";
import { requireKubernetesMaster } from "../../resolve/require-kubernetes-master.ts";
import type { ResolveInput } from "../../resolve/resolve.ts";
import {
  type ResolvedSettings,
  type ResolvedSubmission,
  resolveSettings,
} from "../../resolve/resolve-settings.ts";
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
  elsewhere: (submission: ResolvedSubmission) => Promise<T>,
): Promise<SubmitOutcome | T> {
  const log = call.log ?? sparkLog(call.host);
  const understood = resolveSettings({ ...call, log });
  const master = masterElsewhere(understood);
  if (master !== undefined)
    return elsewhere({
      ...understood,
      openEmbedded: call.openEmbedded,
      master,
      issues: [...understood.issues, ...issuesOf(understood.master), ...understood.refusal],
    });
  const accepted = { understood, master: requireKubernetesMaster(understood) };
  const { submitResolved } = await import("./submit.ts");
  return submitResolved(call, accepted);
}

/** Where it goes that is not for Kubernetes in cluster mode; `undefined` where it is, or is nowhere. */
function masterElsewhere(understood: ResolvedSettings): ResolvedSubmission["master"] | undefined {
  const { invocation, master, refusal, behaviors } = understood;
  const isLeft = behaviors.unservedCommands === "spark" && (!master.ok || invocation.shell !== undefined);
  const left = isLeft ? delegateToLocalSpark(understood) : undefined;
  if (left !== undefined) return left;
  if (!master.ok || (refusal.length > 0 && behaviors.issueReport === "all")) return undefined;
  const { place } = master.value;
  return place === "kubernetes" ? undefined : { ...master.value, place };
}
