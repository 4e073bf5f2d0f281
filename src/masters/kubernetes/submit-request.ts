import { firesteelSubmissionToken } from "../../conf/entries/firesteel.ts";
import { callSystemExitOnMainExit } from "../../conf/entries/submission.ts";
import { waitAppCompletion } from "../../conf/entries/watching.ts";
import { abortSignalOf } from "../../errors/stop-signal.ts";
import { isSubmitError } from "../../errors/submit-error.ts";
import type { Host } from "../../host/host.ts";
import { type Log, sparkLog } from "../../host/log.ts";
import { statusOf } from "../../kube/status.ts";
import type { KubeResource, Pod } from "../../kube/types.ts";
import type { KubeClient } from "../../kube-client/client.ts";
import { hasUncommonSettings } from "../../plan/common-settings.ts";
import type { DriverConf } from "../../plan/driver-conf.ts";
import { ignoredSettingLog } from "../../plan/ignored-settings.ts";
import type { LogLine } from "../../plan/log-line.ts";
import type { SubmitRequest } from "../../plan/submit-request.ts";
import type { Manifests } from "../../spec/manifests.ts";
import { type Interruption, interruption } from "../interruption.ts";
import type { SubmitContext } from "../master-strategy.ts";
import { waitOptions } from "../wait-options.ts";
import { connectOverNetwork } from "./connect/connect-over-network.ts";
import { connectionOptions, printMaster } from "./connect/connection-options.ts";
import { type ApplyCall, applyManifests } from "./create/apply-manifests.ts";
import type { DraftRequest } from "./draft-request.ts";
import { prepareDriver } from "./prepare-driver.ts";
import type { Staging } from "./stage/transfer/staging.ts";
import type { KubernetesOutcome, Submitted } from "./submit-outcome.ts";
import { driverContainerName } from "./watch/driver-end.ts";

/** A resolved request. */
export interface SubmitRequestCall extends Pick<SubmitContext, "openClient" | "extraSteps"> {
  readonly host: Host;
  readonly request: SubmitRequest;
  /** @default stderr, in Spark's layout */
  readonly log?: Log;
}

/**
 * Submits a request to its Kubernetes API in cluster mode, and waits for its driver if the settings say so.
 *
 * @throws SubmitError if Firesteel or the API rejects the request; all created objects are rolled back
 */
export function submitRequest(call: SubmitRequestCall): Promise<KubernetesOutcome> {
  const { host, request, log = sparkLog(host) } = call;
  return submitDraft({ host, log, context: call }, { request, issues: [] });
}

/** Inputs of the submission of a draft. */
export interface DraftSubmission {
  readonly host: Host;
  readonly log: Log;
  readonly context: Pick<SubmitContext, "openClient" | "extraSteps">;
  /** Whether to log the pod's fields on a terminal, too. @default false */
  readonly verbose?: boolean | undefined;
}

/**
 * Submits a drafted request.
 *
 * @throws SubmitError with every problem of the draft and of its plan, or with the API's error
 */
export async function submitDraft(
  submission: DraftSubmission,
  draft: DraftRequest,
): Promise<KubernetesOutcome> {
  const { conf, behaviors } = draft.request;
  const run = () => createAndWait(submission, draft);
  if (behaviors.mainExit === "ignored" || draft.issues.length > 0 || !conf.has(callSystemExitOnMainExit))
    return run();
  const { withMainExitMessage } = await import("./with-main-exit-message.ts");
  return withMainExitMessage(submission.host, conf, run);
}

async function createAndWait(
  { host, log, context, verbose = false }: DraftSubmission,
  draft: DraftRequest,
): Promise<KubernetesOutcome> {
  const { extraSteps, openClient = connectOverNetwork } = context;
  const { request } = draft;
  const { driver, manifests, log: planLog } = await prepareDriver(host, draft, { extraSteps });
  write(planLog, log);
  const container = driverContainerName(manifests.pod);
  const client = await openClient(host, connectionOptions(request, log));
  const interrupted = interruption(host);
  try {
    const { signal } = interrupted;
    let hasEnded = false;
    const onEarlyEnd = () => {
      hasEnded = true;
    };
    const creating = create({ host, client, log, manifests, driver, request, signal, onEarlyEnd });
    // Log while the API works on the requests.
    if (request.behaviors.unknownSettings === "warn" && hasUncommonSettings(request.conf))
      write(ignoredSettingLog(request.conf), log);
    const pod = await creating;
    const { resources } = manifests;
    return await awaitDriver({
      host,
      client,
      log,
      interrupted,
      driver,
      pod,
      request,
      container,
      resources,
      hasEnded,
      verbose,
    });
  } catch (error) {
    return rolledBack(
      request.behaviors.diagnosis === "spark" ? error : await explained(error, host, manifests),
      {
        driver,
        request,
        interrupted,
      },
    );
  } finally {
    interrupted.stop();
    client.close();
  }
}

function write(lines: readonly LogLine[], log: Log): void {
  for (const { level, logger, text } of lines) log(level, logger, text);
}

/** Returns the error with the cause of the API's rejection, if a rule knows it. */
async function explained(error: unknown, { clock }: Host, { resources }: Manifests): Promise<unknown> {
  if (statusOf(error) === undefined) return error;
  const { explainRejection } = await import("./explain-rejection.ts");
  return explainRejection(error, { now: clock.now(), resources });
}

interface Creation extends ApplyCall {
  readonly host: Host;
  readonly driver: DriverConf;
  readonly request: SubmitRequest;
  readonly onEarlyEnd: () => void;
}

async function create(creation: Creation): Promise<Pod> {
  const { host, driver, manifests } = creation;
  const staged: Staging = (apply) => stage(creation, apply);
  const token = driver.conf.get(firesteelSubmissionToken);
  if (token === undefined)
    return staged((resources) => applyManifests({ ...creation, manifests: { ...manifests, resources } }));
  const { submitOnce } = await import("./submission-token/submit-once.ts");
  const resume = (pod: Pod) => resumeStaging(creation, pod);
  return submitOnce({ ...creation, token, attempt: host.random.uuid(), staged, resume });
}

/** Creates the driver, after uploading its files if they do not fit into a Secret. */
async function stage(creation: Creation, create: Parameters<Staging>[0]): Promise<Pod> {
  const { driver, request, signal, manifests } = creation;
  const { uploads, localized } = driver.staged;
  const { resources } = manifests;
  if (uploads.length === 0 && (localized?.transport ?? "secret") === "secret") return create(resources);
  const { withStaging } = await import("./stage/with-staging.ts");
  const stopped = signal && abortSignalOf(signal);
  return withStaging({ ...creation, resources, behaviors: request.behaviors, signal: stopped }, create);
}

async function resumeStaging(creation: Creation, pod: Pod): Promise<Pod> {
  const { driver, request, signal, manifests } = creation;
  if (driver.staged.localized === undefined) return pod;
  const { resumeStaging: resume } = await import("./stage/resume-staging.ts");
  const stopped = signal && abortSignalOf(signal);
  const { resources } = manifests;
  return resume({ ...creation, resources, behaviors: request.behaviors, signal: stopped }, pod);
}

/** A driver that was just created, and the dependencies of waiting for it. */
interface CreatedDriver {
  readonly host: Host;
  readonly client: KubeClient;
  readonly log: Log;
  readonly interrupted: Interruption;
  readonly driver: DriverConf;
  readonly pod: Pod;
  /** Name of the driver's container. */
  readonly container: string;
  readonly request: SubmitRequest;
  /** Whether it ended before it had all its files. Such an end is reported even if the settings say not to wait. */
  readonly hasEnded: boolean;
  readonly verbose: boolean;
  /** All created objects except the pod. */
  readonly resources: readonly KubeResource[];
}

async function awaitDriver(created: CreatedDriver): Promise<KubernetesOutcome> {
  const { driver, log, host, client, interrupted, pod, container, request, resources, hasEnded } = created;
  const { appName, appId, namespace, podName, conf, traits } = driver;
  const submitted = submittedBy(created);
  if (!conf.get(waitAppCompletion) && !hasEnded) {
    const text = `Deployed Spark application ${appName} with application ID ${appId} and submission ID ${namespace}:${podName} into Kubernetes`;
    log("INFO", "Client", text);
    return { ...submitted, end: { kind: "notAwaited" } };
  }
  const { monitorDriver } = await import("./monitor/monitor-driver.ts");
  const { end, diagnosis } = await monitorDriver({
    ...{ host, client, log, interrupted, pod, container, traits, resources },
    app: { name: appName, id: appId },
    behaviors: request.behaviors,
    uploader: { host, owner: driver },
    waitOptions: waitOptions(conf),
    verbose: created.verbose,
  });
  return { ...submitted, end, diagnosis };
}

function submittedBy({ driver, request }: Pick<CreatedDriver, "driver" | "request">): Submitted {
  const { appName, appId, namespace, podName } = driver;
  return { master: printMaster(request), appName, appId, namespace, podName, behaviors: request.behaviors };
}

/** Returns the outcome of an interruption while objects were created; rethrows any other error. */
function rolledBack(
  error: unknown,
  created: Pick<CreatedDriver, "driver" | "request" | "interrupted">,
): KubernetesOutcome {
  const signal = created.interrupted.received();
  if (signal === undefined || !isSubmitError(error) || error.code !== "SUBMIT_ERR_INTERRUPTED") throw error;
  const [, ...left] = error.issues;
  return { ...submittedBy(created), end: { kind: "interrupted", signal, driver: "rolledBack", left } };
}
