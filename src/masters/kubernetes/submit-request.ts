import { callSystemExitOnMainExit } from "../../conf/entries/submission.ts";
import { isSubmitError } from "../../errors/submit-error.ts";
import type { Host } from "../../host/host.ts";
import { type Log, sparkLog } from "../../host/log.ts";
import { statusOf } from "../../kube/status.ts";
import { hasUncommonSettings } from "../../plan/common-settings.ts";
import { ignoredSettingLog } from "../../plan/ignored-settings.ts";
import type { LogLine } from "../../plan/log-line.ts";
import type { SubmitRequest } from "../../plan/submit-request.ts";
import type { Manifests } from "../../spec/manifests.ts";
import { interruption } from "../interruption.ts";
import type { SubmitContext } from "../master-strategy.ts";
import type { KubernetesOutcome } from "../submit-outcome.ts";
import { awaitDriver, type CreatedDriver, submittedBy } from "./await-driver.ts";
import { connectOverNetwork } from "./connect/connect-over-network.ts";
import { connectionOptions } from "./connect/connection-options.ts";
import { createDriver } from "./create-driver.ts";
import type { DraftRequest } from "./draft-request.ts";
import { prepareDriver } from "./prepare-driver.ts";
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
export async function submitDraft(submission: DraftSubmission, draft: DraftRequest): Promise<KubernetesOutcome> {
  const { conf, behaviors } = draft.request;
  const run = () => createAndWait(submission, draft);
  if (behaviors.mainExit === "ignored" || draft.issues.length > 0 || !conf.has(callSystemExitOnMainExit)) return run();
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
    const creating = createDriver({ host, client, log, manifests, driver, request, signal, onEarlyEnd });
    // Log while the API works on the requests.
    if (request.behaviors.unknownSettings === "warn" && hasUncommonSettings(request.conf))
      write(ignoredSettingLog(request.conf), log);
    const pod = await creating;
    const { resources } = manifests;
    return await awaitDriver({
      ...{ host, client, log, interrupted, driver, pod, request },
      ...{ container, resources, hasEnded, verbose },
    });
  } catch (error) {
    return rolledBack(request.behaviors.diagnosis === "spark" ? error : await explained(error, host, manifests), {
      driver,
      request,
      interrupted,
    });
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
