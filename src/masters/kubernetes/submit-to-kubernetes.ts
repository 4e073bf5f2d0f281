import type { ResolvedSubmission } from "../../resolve/resolve-submission.ts";
import type { SubmitContext } from "../master-strategy.ts";
import type { KubernetesOutcome } from "../submit-outcome.ts";
import { draftRequest } from "./draft-request.ts";
import { submitDraft } from "./submit-request.ts";

/**
 * Submits an application to Kubernetes in cluster mode, and waits for its driver if the settings say so.
 *
 * @throws SubmitError if Firesteel or the API rejects the submission; all created objects are rolled back
 */
export async function submitToKubernetes(
  submission: ResolvedSubmission,
  context: SubmitContext,
): Promise<KubernetesOutcome> {
  const { host, log, invocation } = submission;
  const { verbose } = invocation;
  return submitDraft({ host, log, context, verbose }, await draftRequest(submission, context.openEmbedded));
}
