import { failure, withIssues } from "../errors/issue.ts";
import { orThrow } from "../errors/submit-error.ts";
import { printFrontEndOutput } from "../resolve/print-front-end-output.ts";
import { rejectIfAny } from "../resolve/reject.ts";
import type { SettingsInput } from "../resolve/resolve-settings.ts";
import { type ResolvedSubmission, resolveSubmission } from "../resolve/resolve-submission.ts";
import type { RenderedSubmission, RenderOptions } from "./master-strategy.ts";
import { loadStrategy } from "./strategies.ts";

/**
 * Decides everything about a submission without contacting an API.
 *
 * @throws SUBMIT_ERR_MASTER_NOT_SERVED if the strategy renders nothing, and what a submission throws
 */
export async function render(input: SettingsInput, options: RenderOptions): Promise<RenderedSubmission> {
  const submission = await resolveSubmission(input);
  const strategy = await loadStrategy(submission.master.strategy);
  return strategy.render === undefined ? reject(submission) : strategy.render(submission, options);
}

function reject(submission: ResolvedSubmission): never {
  const { master, masterIssues, issues, behaviors } = submission;
  printFrontEndOutput(submission);
  if (masterIssues.length > 0) rejectIfAny(issues, behaviors);
  const { text, mode } = master;
  return orThrow(withIssues(issues, failure("SUBMIT_ERR_MASTER_NOT_SERVED", { master: text, mode })));
}
