import type { Issue } from "../errors/issue.ts";
import { isSubmitError } from "../errors/submit-error.ts";
import { addExecutor, type SubmissionObjects } from "../explain/submission-objects.ts";
import type { Host } from "../host/host.ts";
import type { Log } from "../host/log.ts";
import { type DraftRequest, draftRequest } from "../masters/kubernetes/draft-request.ts";
import { renderDraft, settingLog } from "../masters/kubernetes/render-submission.ts";
import type { SubmitContext } from "../masters/master-strategy.ts";
import { loadStrategy } from "../masters/strategies.ts";
import type { SubmitRequest } from "../plan/submit-request.ts";
import { printFrontEndOutput } from "../resolve/print-front-end-output.ts";
import type { SettingsInput } from "../resolve/resolve-settings.ts";
import { type ResolvedSubmission, resolveSubmission } from "../resolve/resolve-submission.ts";

/** A submission to plan. */
export interface PlanCall extends Pick<SubmitContext, "openEmbedded"> {
  readonly host: Host;
  readonly input: Omit<SettingsInput, "host" | "log">;
  readonly log: Log;
}

/** Result of planning a submission. */
export type Planned =
  | { readonly kind: "planned"; readonly request: SubmitRequest; readonly built: SubmissionObjects }
  /** A submission to Kubernetes in cluster mode that cannot be planned. `request` is absent if there is not even a valid master. */
  | { readonly kind: "invalid"; readonly issues: readonly Issue[]; readonly request?: SubmitRequest }
  /** A submission that creates no objects in Kubernetes. */
  | { readonly kind: "otherMaster"; readonly submission: ResolvedSubmission };

/** Plans a submission, as far as it can be planned. Contacts no API. */
export async function planSubmission({ host, input, log, openEmbedded }: PlanCall): Promise<Planned> {
  let draft: DraftRequest | undefined;
  try {
    const submission = await resolveSubmission({ ...input, host, log });
    const strategy = await loadStrategy(submission.master.strategy);
    if (strategy.render === undefined) {
      printFrontEndOutput(submission);
      return { kind: "otherMaster", submission };
    }
    // No check: whether a submission is valid is the question.
    draft = await draftRequest(submission, { openEmbedded, check: async () => {} });
    const { request } = draft;
    const rendered = await renderDraft(submission, draft);
    return { kind: "planned", request, built: addExecutor(rendered, rendered.executor) };
  } catch (error) {
    if (!isSubmitError(error)) throw error;
    const { issues } = error;
    if (draft === undefined) return { kind: "invalid", issues };
    const { request } = draft;
    for (const { level, logger, text } of settingLog(draft)) log(level, logger, text);
    return { kind: "invalid", issues, request };
  }
}
