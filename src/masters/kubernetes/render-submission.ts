import { podTemplateFile } from "../../conf/entries/driver.ts";
import { failure, type Result, success } from "../../errors/issue.ts";
import { orThrow } from "../../errors/submit-error.ts";
import type { Host } from "../../host/host.ts";
import { hasUncommonSettings } from "../../plan/common-settings.ts";
import type { DriverConf } from "../../plan/driver-conf.ts";
import { ignoredSettingLog } from "../../plan/ignored-settings.ts";
import type { LogLine } from "../../plan/log-line.ts";
import { mainClassLog } from "../../resolve/main-class-log.ts";
import type { ResolvedSubmission } from "../../resolve/resolve-submission.ts";
import { seededIds } from "../../resolve/seeded-ids.ts";
import type { ExecutorSources, RenderedSubmission, RenderOptions } from "../master-strategy.ts";
import { unusedWaitLog } from "../unused-wait-settings.ts";
import { type DraftRequest, draftRequest, needsProvision } from "./draft-request.ts";
import { checkDriver, prepareDriver } from "./prepare-driver.ts";

/**
 * Drafts and prepares a submission without contacting the API. Logs what a submission would log until then, and its warnings about
 * settings.
 *
 * @throws SubmitError with every problem
 */
export async function renderSubmission(
  submission: ResolvedSubmission,
  { openEmbedded, ...options }: RenderOptions,
): Promise<RenderedSubmission> {
  // Rendering opens no cluster, so that only files of the cache need a valid submission.
  const check = async (unprovided: DraftRequest) =>
    needsProvision(submission) ? checkDriver(submission.host, unprovided, options.extraSteps) : undefined;
  const draft = await draftRequest(submission, { openEmbedded, check, provision: "cached" });
  return renderDraft(submission, draft, options);
}

/** Prepares a drafted submission as `renderSubmission` does. @throws SubmitError with every problem */
export async function renderDraft(
  { host, log }: Pick<ResolvedSubmission, "host" | "log">,
  draft: DraftRequest,
  { seed, extraSteps }: Pick<RenderOptions, "seed" | "extraSteps"> = {},
): Promise<RenderedSubmission> {
  const { driver, built, userSteps } = await prepareDriver(host, draft, { seed, extraSteps });
  for (const { level, logger, text } of [...built.log, ...warningsOf(host, draft)]) log(level, logger, text);
  const executor = orThrow(await readExecutorSources(host, driver, seed));
  return { request: draft.request, driver, built, executor, userSteps };
}

function warningsOf(host: Host, draft: DraftRequest): readonly LogLine[] {
  const { request } = draft;
  const isChecked = request.behaviors.unknownSettings === "warn" && request.appResource.uri.startsWith("file:");
  return [...settingLog(draft), ...(isChecked ? mainClassLog(host, request) : [])];
}

/** Builds the warnings about settings that a submission logs while it waits. */
export function settingLog({ request: { conf, behaviors } }: DraftRequest): readonly LogLine[] {
  const isChecked = behaviors.unknownSettings === "warn" && hasUncommonSettings(conf);
  return [...(isChecked ? ignoredSettingLog(conf) : []), ...unusedWaitLog(conf)];
}

/** Parses the executors' template, which otherwise only the driver parses, and makes IDs as the driver does. */
async function readExecutorSources(
  host: Host,
  { conf, facts, behaviors }: DriverConf,
  seed = host.random.uuid(),
): Promise<Result<ExecutorSources>> {
  const { uniqueIds } = seededIds(`executors of ${seed}`);
  const text = facts.executorTemplateText;
  if (text === undefined) return success({ template: undefined, uniqueIds });
  const { parseTemplate, reasonOf } = await import("../../resolve/parse-template.ts");
  try {
    return success({ template: await parseTemplate(text, behaviors), uniqueIds });
  } catch (error) {
    const path = conf.get(podTemplateFile.executor) ?? "";
    return failure("SUBMIT_ERR_TEMPLATE_UNUSABLE", { path, reason: reasonOf(error) });
  }
}
