import {
  firesteelFeatureSteps,
  firesteelSettings,
  firesteelSubmissionToken,
} from "../../conf/entries/firesteel.ts";
import { waitAppCompletion } from "../../conf/entries/watching.ts";
import type { SparkConf } from "../../conf/spark-conf.ts";
import { issuesOf, type Result, success } from "../../errors/issue.ts";
import { orThrow, throwIssues } from "../../errors/submit-error.ts";
import type { Host } from "../../host/host.ts";
import { type DriverCheck, type DriverConf, planDriver } from "../../plan/driver-conf.ts";
import type { Facts } from "../../plan/facts.ts";
import { unknownFiresteelSettingIssues } from "../../plan/ignored-settings.ts";
import { invalidValueIssues } from "../../plan/invalid-values.ts";
import type { LogLine } from "../../plan/log-line.ts";
import { readFacts } from "../../resolve/read-facts.ts";
import { assembleDriver, driverChecks } from "../../spec/driver-spec.ts";
import type { Manifests } from "../../spec/manifests.ts";
import type { NamedStep, UserStep } from "../../spec/user-steps/user-step.ts";
import { waitEntries } from "../wait-options.ts";
import { connectionEntries } from "./connect/connection-options.ts";
import type { DraftRequest } from "./draft-request.ts";
import { submissionSeed } from "./submission-token/submission-seed.ts";

/** A submission of which everything is decided, and nothing is done yet. */
export interface PreparedDriver {
  readonly driver: DriverConf;
  readonly manifests: Manifests;
  /** What deciding had to tell, in the order in which Spark prints it. */
  readonly log: readonly LogLine[];
  /** Those of the user, in the order in which they run. */
  readonly userSteps: readonly NamedStep[];
}

/** What may be said of a submission besides its request. */
export interface PrepareOptions {
  /** Run after those of `spark.firesteel.featureSteps`. @default none */
  readonly extraSteps?: readonly UserStep[] | undefined;
  /** What ids are made of. @default chance */
  readonly seed?: string | undefined;
}

/**
 * Plans a driver and builds its objects; reads the files that this takes.
 *
 * @throws SubmitError with every problem of the request, of the files that it names, else of its plan
 */
export async function prepareDriver(
  host: Host,
  { request, issues }: DraftRequest,
  { extraSteps = [], seed }: PrepareOptions = {},
): Promise<PreparedDriver> {
  const tokenSeed = submissionSeed(request);
  const facts = await readFacts(host, request, seed ?? tokenSeed);
  const steps = await loadSteps(host, request.conf);
  // Spark reads what steers the waiting only when it waits; by then the driver runs. What no API takes it sends.
  const checks = [
    ...driverChecks,
    checkConnection,
    checkOwn,
    ...(request.behaviors.settingChecks === "spark" ? [] : [checkWaiting, checkValues]),
  ];
  const planned = facts.ok
    ? planDriver(
        request,
        await ofOneAttempt(facts.value, { host, isShared: seed === undefined && tokenSeed !== undefined }),
        checks,
      )
    : facts;
  throwIssues([...issues, ...issuesOf(planned), ...issuesOf(steps)]);
  const driver = orThrow(planned);
  const added = extraSteps.map((step, index) => ({ name: step.name ?? `extraSteps[${index}]`, step }));
  const userSteps = [...orThrow(steps), ...added];
  const { manifests, log } = orThrow(assembleDriver(driver, { userSteps }));
  return { driver, manifests, log, userSteps };
}

async function loadSteps(host: Host, conf: SparkConf): Promise<Result<readonly NamedStep[]>> {
  if (!conf.has(firesteelFeatureSteps)) return success([]);
  const { loadUserSteps } = await import("../../resolve/load-user-steps.ts");
  return loadUserSteps(host, conf);
}

async function ofOneAttempt(
  facts: Facts,
  { host, isShared }: { host: Host; isShared: boolean },
): Promise<Facts> {
  if (!isShared) return facts;
  const { withAttemptNames } = await import("./submission-token/with-attempt-names.ts");
  return withAttemptNames(facts, host.random.uuid());
}

const checkConnection: DriverCheck = ({ conf }) =>
  conf.check([...connectionEntries, firesteelSubmissionToken]);

const checkOwn: DriverCheck = ({ conf }) =>
  conf.withPrefix(firesteelSettings).size === 0 ? [] : unknownFiresteelSettingIssues(conf);

const checkWaiting: DriverCheck = ({ conf }) => conf.check([waitAppCompletion, ...waitEntries]);

const checkValues: DriverCheck = ({ conf }) => invalidValueIssues(conf);
