import { isSubmitError } from "../errors/submit-error.ts";
import { buildSubmission } from "../explain/submission-objects.ts";
import type { Host } from "../host/host.ts";
import type { Log } from "../host/log.ts";
import type { OpenClient, RenderedSubmission, SubmitContext } from "../masters/master-strategy.ts";
import { render } from "../masters/render.ts";
import type { SettingsInput } from "../resolve/resolve-settings.ts";
import { checkCluster } from "./check-cluster.ts";
import { checkDynamicAllocation } from "./checks/check-dynamic-allocation.ts";
import { arrange, type Finding, ok, rejected } from "./finding.ts";
import type { SendToRegistry } from "./registry/fetch-image.ts";
import { type PlannedSubmission, podsIn } from "./submission.ts";

/** A submission to check, and ways to reach its cluster. */
export interface DoctorCall extends Pick<SubmitContext, "openEmbedded"> {
  readonly host: Host;
  readonly input: Omit<SettingsInput, "host" | "log">;
  readonly openClient?: OpenClient | undefined;
  /** Sends requests to registries. @default over the network */
  readonly sendToRegistry?: SendToRegistry | undefined;
}

/** Checks what would go wrong with a submission. Creates nothing. @returns at least one finding for each check */
export async function checkSubmission(call: DoctorCall): Promise<readonly Finding[]> {
  const { host, input, openEmbedded, openClient, sendToRegistry } = call;
  const warnings: string[] = [];
  const log: Log = (level, _logger, text) => {
    if (level !== "INFO") warnings.push(text);
  };
  let rendered: RenderedSubmission;
  try {
    rendered = await render({ ...input, host, log }, { openEmbedded });
  } catch (error) {
    return [...argumentFailures(error), ...settingWarnings(warnings)];
  }
  const { request, driver, executor, userSteps } = rendered;
  const built = buildSubmission({ request, facts: driver.facts, executor, userSteps });
  if (!built.ok) return built.issues.map((found) => rejected("arguments", found));
  const { objects, executorIssues } = built.value;
  const { namespace, conf } = driver;
  const submission: PlannedSubmission = {
    ...{ namespace, conf, objects, pods: podsIn(objects) },
    executorConfMap: built.value.executor?.confMapName,
    isEmbedded: request.access !== undefined,
  };
  return arrange([
    ...executorIssues.map((found) =>
      rejected("arguments", { ...found, message: `The driver cannot create executors: ${found.message}` }),
    ),
    ...(executorIssues.length > 0 ? [] : [ok("arguments", "The arguments, files and pod templates are valid.")]),
    ...settingWarnings([...new Set(warnings)]),
    ...checkDynamicAllocation(conf),
    ...(await checkCluster({ host, request, submission, openClient, sendToRegistry })),
  ]);
}

function argumentFailures(error: unknown): readonly Finding[] {
  if (!isSubmitError(error)) throw error;
  return error.issues.map((found) => rejected("arguments", found));
}

function settingWarnings(warnings: readonly string[]): readonly Finding[] {
  if (warnings.length === 0) return [ok("settings", "No setting is deprecated or unknown.")];
  const fix = "Correct, replace or remove the setting, unless the message is about something that you intend.";
  return warnings.map((reason) => ({ check: "settings", status: "warning", reason, fix }));
}
