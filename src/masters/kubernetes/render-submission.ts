import { orThrow } from "../../errors/submit-error.ts";
import type { ResolvedSubmission } from "../../resolve/resolve-submission.ts";
import type { RenderedSubmission, RenderOptions } from "../master-strategy.ts";
import { draftRequest } from "./draft-request.ts";
import { prepareDriver } from "./prepare-driver.ts";
import { readExecutorSources } from "./read-executor-sources.ts";

/**
 * Drafts and prepares a submission without contacting the API, and logs what a submission would log until then.
 *
 * @throws SubmitError with every problem
 */
export async function renderSubmission(
  submission: ResolvedSubmission,
  { openEmbedded, seed }: RenderOptions,
): Promise<RenderedSubmission> {
  const { host, log } = submission;
  const draft = await draftRequest(submission, openEmbedded);
  const { driver, userSteps, log: lines } = await prepareDriver(host, draft, { seed });
  for (const { level, logger, text } of lines) log(level, logger, text);
  const executor = orThrow(await readExecutorSources(host, driver, seed));
  return { request: draft.request, driver, executor, userSteps };
}
