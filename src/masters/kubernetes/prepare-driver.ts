import { jarsExcludes, jarsPackages } from "../../conf/entries/app.ts";
import { firesteelFeatureSteps, firesteelSettings, firesteelSubmissionToken } from "../../conf/entries/firesteel.ts";
import { waitAppCompletion } from "../../conf/entries/watching.ts";
import type { SparkConf } from "../../conf/spark-conf.ts";
import { issuesOf, type Result, success } from "../../errors/issue.ts";
import { orThrow } from "../../errors/submit-error.ts";
import type { Host } from "../../host/host.ts";
import { type DriverCheck, type DriverConf, planDriver } from "../../plan/driver-conf.ts";
import type { Facts } from "../../plan/facts.ts";
import { unknownFiresteelSettingIssues } from "../../plan/ignored-settings.ts";
import { hasOnlyPlainValues } from "../../plan/plain-values.ts";
import { readFacts } from "../../resolve/read-facts.ts";
import { rejectIfAny } from "../../resolve/reject.ts";
import { assembleDriver, type DriverManifests, driverChecks } from "../../spec/driver-spec.ts";
import type { NamedStep } from "../../spec/user-steps/user-step.ts";
import type { RenderOptions, SubmitContext } from "../master-strategy.ts";
import { waitEntries } from "../wait-options.ts";
import { connectionEntries } from "./connect/connection-options.ts";
import type { DraftRequest } from "./draft-request.ts";
import { submissionSeed } from "./submission-token/submission-seed.ts";

/** A completely planned submission without any effect yet. */
interface PreparedDriver {
  readonly driver: DriverConf;
  readonly built: DriverManifests;
  /** Steps of the user, in the order in which they run. */
  readonly userSteps: readonly NamedStep[];
}

/**
 * Reads the facts of this machine, plans the driver, and builds its objects.
 *
 * @throws SubmitError with every problem of the request, its files and its plan
 */
export async function prepareDriver(
  host: Host,
  draft: DraftRequest,
  { complete, ...options }: PrepareOptions = {},
): Promise<PreparedDriver> {
  const { driver: planned, userSteps } = await planChecked(host, draft, options);
  const driver = complete === undefined ? planned : await complete(planned);
  return { driver, built: orThrow(assembleDriver(driver, userSteps)), userSteps };
}

/** Adds facts to a valid plan that need other servers than the API. */
export type CompleteDriver = (planned: DriverConf) => Promise<DriverConf>;

interface PrepareOptions
  extends Pick<SubmitContext & RenderOptions, "extraSteps" | "cluster" | "seed" | "attemptNames"> {
  readonly complete?: CompleteDriver | undefined;
}

/** Checks everything that `prepareDriver` checks, without running the user's steps. @throws SubmitError with every problem */
export async function checkDriver(
  host: Host,
  draft: DraftRequest,
  extraSteps: SubmitContext["extraSteps"],
): Promise<void> {
  await planChecked(host, draft, { extraSteps, seed: "check" });
}

async function planChecked(
  host: Host,
  { request, issues }: DraftRequest,
  { extraSteps, cluster, seed, attemptNames }: Omit<PrepareOptions, "complete">,
): Promise<Pick<PreparedDriver, "driver" | "userSteps">> {
  const tokenSeed = submissionSeed(request, cluster);
  const { facts, issues: factIssues } = await readFacts(host, request, seed ?? tokenSeed);
  const steps = await loadSteps(host, request.conf, extraSteps);
  // Spark checks neither the values that an API would reject, nor, before the driver runs, the settings of waiting.
  const checks = [
    ...driverChecks,
    checkConnection,
    checkFiresteelSettings,
    ...(request.behaviors.settingChecks === "spark" ? [] : await loadEarlyChecks(request.conf)),
  ];
  const isShared = seed === undefined && tokenSeed !== undefined;
  const planShared = () => {
    const shared = planDriver(request, facts, checks);
    return isShared && shared.ok && stagesFiles(shared.value) ? undefined : shared;
  };
  const shared = isShared && attemptNames !== "shared" ? undefined : planShared();
  const planned = shared ?? planDriver(request, await attemptFacts(host, facts), checks);
  const isPush = planned.ok && planned.value.staged.localized?.transport === "push";
  const stepIssues =
    isPush && steps.ok
      ? (await import("./stage/transports/push/push-url-step.ts")).pushUrlStepIssues(planned.value, steps.value)
      : issuesOf(steps);
  rejectIfAny([...issues, ...factIssues, ...issuesOf(planned), ...stepIssues], request.behaviors);
  return { driver: orThrow(planned), userSteps: orThrow(steps) };
}

async function attemptFacts(host: Host, facts: Facts): Promise<Facts> {
  const { withAttemptNames } = await import("./submission-token/with-attempt-names.ts");
  return withAttemptNames(facts, host.random.uuid());
}

/** Returns whether a driver gets files of this machine, whose copies belong to one attempt at the submission. */
function stagesFiles({ staged: { uploads, localized } }: DriverConf): boolean {
  return uploads.length > 0 || localized !== undefined;
}

async function loadSteps(
  host: Host,
  conf: SparkConf,
  extraSteps: SubmitContext["extraSteps"] = [],
): Promise<Result<readonly NamedStep[]>> {
  if (!conf.has(firesteelFeatureSteps) && extraSteps.length === 0) return success([]);
  const { loadUserSteps } = await import("../../resolve/load-user-steps.ts");
  return loadUserSteps(host, conf, extraSteps);
}

/** Returns the checks of values that Spark reads late or never. Most submissions need not load those of labels and packages. */
async function loadEarlyChecks(conf: SparkConf): Promise<readonly DriverCheck[]> {
  const checks: DriverCheck[] = [checkWaiting];
  if (!hasOnlyPlainValues(conf)) checks.push(...(await import("../../plan/value-checks.ts")).valueChecks(conf));
  if (!conf.has(jarsPackages) && !conf.has(jarsExcludes)) return checks;
  const { packageIssues } = await import("./package-issues.ts");
  return [...checks, () => packageIssues(conf)];
}

const checkConnection: DriverCheck = ({ conf }) => conf.check([...connectionEntries, firesteelSubmissionToken]);

const checkFiresteelSettings: DriverCheck = ({ conf }) =>
  conf.withPrefix(firesteelSettings).size === 0 ? [] : unknownFiresteelSettingIssues(conf);

const checkWaiting: DriverCheck = ({ conf }) => conf.check([waitAppCompletion, ...waitEntries]);
