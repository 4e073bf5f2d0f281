import type { Host } from "../host/host.ts";
import type { Log } from "../host/log.ts";
import type { OpenClient, SubmitContext } from "../masters/master-strategy.ts";
import type { SendToRegistry } from "../registry/session.ts";
import type { SettingsInput } from "../resolve/resolve-settings.ts";
import type { ResolvedSubmission } from "../resolve/resolve-submission.ts";
import { checkCluster, checkReachable } from "./check-cluster.ts";
import { checkDynamicAllocation } from "./checks/check-dynamic-allocation.ts";
import { checkStaging } from "./checks/check-staging.ts";
import { fetchStaging } from "./fetch/fetch-staging.ts";
import { arrange, type CheckName, checkNames, type Finding, ok, rejected, skipped } from "./finding.ts";
import { type Planned, planSubmission } from "./plan-submission.ts";
import { sketchSubmission } from "./sketch-submission.ts";
import { podsIn } from "./submission.ts";

/** A submission to check, and ways to reach its cluster. */
export interface DoctorCall extends Pick<SubmitContext, "openEmbedded"> {
  readonly host: Host;
  readonly input: Omit<SettingsInput, "host" | "log">;
  readonly openClient?: OpenClient | undefined;
  /** Sends requests to registries. @default over the network */
  readonly sendToRegistry?: SendToRegistry | undefined;
}

/**
 * Checks what would go wrong with a submission. Creates nothing.
 *
 * @returns at least one finding for each check, unless the submission is not one to Kubernetes in cluster mode
 */
export async function checkSubmission(call: DoctorCall): Promise<readonly Finding[]> {
  const warnings: string[] = [];
  const log: Log = (level, _logger, text) => {
    if (level !== "INFO") warnings.push(text);
  };
  const planned = await planSubmission({ ...call, log });
  const found = await checkPlanned(call, planned);
  return arrange([...found, ...settingWarnings([...new Set(warnings)], planned)]);
}

async function checkPlanned(call: DoctorCall, planned: Planned): Promise<readonly Finding[]> {
  switch (planned.kind) {
    case "planned":
      return checkValid(call, planned);
    case "invalid":
      return checkInvalid(call, planned);
    case "otherMaster":
      return checkOtherMaster(planned.submission);
  }
}

async function checkValid(
  call: DoctorCall,
  { request, built }: Extract<Planned, { readonly kind: "planned" }>,
): Promise<readonly Finding[]> {
  const { driver, executor, objects, executorIssues } = built;
  const { namespace, conf } = driver;
  const submission = {
    ...{ namespace, conf, objects, pods: podsIn(objects) },
    executorConfMap: executor?.confMapName,
  };
  const [staging, cluster] = await Promise.all([
    fetchStaging(call.host, driver),
    checkCluster({ ...call, request, submission }),
  ]);
  return [
    ...executorIssues.map((found) =>
      rejected("arguments", { ...found, message: `The driver cannot create executors: ${found.message}` }),
    ),
    ...(executorIssues.length > 0 ? [] : [ok("arguments", "The arguments, files and pod templates are valid.")]),
    ...checkDynamicAllocation(conf),
    ...checkStaging(staging),
    ...cluster,
  ];
}

/** Checks that need the pods, or their files. */
const podChecks: readonly CheckName[] = ["staging", "objects", "quota", "nodes", "user", "image", "admission"];

/** Reports the problems of the arguments, and does the checks that do not need the pods. */
async function checkInvalid(
  call: DoctorCall,
  { issues, request }: Extract<Planned, { readonly kind: "invalid" }>,
): Promise<readonly Finding[]> {
  const failures = issues.map((found) => rejected("arguments", found));
  const others =
    request === undefined
      ? []
      : [
          ...checkDynamicAllocation(request.conf),
          ...(await checkReachable({ ...call, request, submission: sketchSubmission(request) })),
        ];
  const done = others.map(({ check }) => check);
  const left = (request === undefined ? checkNames.slice(1) : podChecks).filter((check) => !done.includes(check));
  return [...failures, ...others, ...left.map((check) => skipped(check, "It needs valid arguments."))];
}

function checkOtherMaster({ issues, master: { text, mode } }: ResolvedSubmission): readonly Finding[] {
  if (issues.length > 0) return issues.map((found) => rejected("arguments", found));
  const reason = `Only submissions to Kubernetes in cluster mode are checked, and this one is to ${text} in ${mode} mode.`;
  return [skipped("arguments", reason)];
}

function settingWarnings(warnings: readonly string[], planned: Planned): readonly Finding[] {
  if (warnings.length === 0)
    return "request" in planned ? [ok("settings", "No setting is deprecated or unknown.")] : [];
  const fix = "Correct, replace or remove the setting, unless the message is about something that you intend.";
  return warnings.map((reason) => ({ check: "settings", status: "warning", reason, fix }));
}
