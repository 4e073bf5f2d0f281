import { hadoopAuthentication, hadoopProperties } from "../../conf/entries/hadoop.ts";
import { callSystemExitOnMainExit } from "../../conf/entries/submission.ts";
import { waitAppCompletion } from "../../conf/entries/watching.ts";
import type { Host } from "../../host/host.ts";
import { type Log, sparkLog } from "../../host/log.ts";
import { hasUncommonSettings } from "../../plan/common-settings.ts";
import { ignoredSettingLog } from "../../plan/ignored-settings.ts";
import type { LogLine } from "../../plan/log-line.ts";
import type { SubmitRequest } from "../../plan/submit-request.ts";
import { mainClassLog } from "../../resolve/main-class-log.ts";
import { interruption } from "../interruption.ts";
import type { SubmitContext } from "../master-strategy.ts";
import type { KubernetesOutcome, Submitted } from "../submit-outcome.ts";
import { firesteelWaitEntries, waitOptions } from "../wait-options.ts";
import { connectionOptions, connectOverNetwork, printCluster } from "./connect/connection-options.ts";
import { createDriver } from "./create-driver.ts";
import type { DraftRequest } from "./draft-request.ts";
import { type CompleteDriver, prepareDriver } from "./prepare-driver.ts";
import { driverContainerName } from "./watch/driver-container.ts";

/**
 * A resolved request.
 *
 * @example
 * ```ts
 * const call: SubmitRequestCall = { host: nodeHost(), request };
 * ```
 */
export interface SubmitRequestCall extends Pick<SubmitContext, "openClient" | "extraSteps" | "waitEntries"> {
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

interface DraftSubmission {
  readonly host: Host;
  readonly log: Log;
  readonly context: Pick<
    SubmitContext,
    "openClient" | "extraSteps" | "cluster" | "attemptNames" | "onWait" | "waitEntries"
  >;
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
  const run = async () => {
    if (!submission.host.env["HADOOP_CONF_DIR"] && !conf.withPrefix(hadoopProperties).has(hadoopAuthentication))
      return createAndWait(submission, draft);
    const { withDriverTokens } = await import("./with-driver-tokens.ts");
    return withDriverTokens(submission, (complete) => createAndWait(submission, draft, complete));
  };
  if (behaviors.mainExit === "ignored" || draft.issues.length > 0 || !conf.has(callSystemExitOnMainExit)) return run();
  const { withMainExitMessage } = await import("./with-main-exit-message.ts");
  return withMainExitMessage(submission.host, conf, run);
}

async function createAndWait(
  { host, log, context, verbose }: DraftSubmission,
  draft: DraftRequest,
  complete?: CompleteDriver,
): Promise<KubernetesOutcome> {
  const { onWait, openClient = connectOverNetwork } = context;
  const { request } = draft;
  const prepared = await prepareDriver(host, draft, { ...context, complete });
  const { driver, userSteps } = prepared;
  const { manifests, log: planLog } = prepared.built;
  const { resources } = manifests;
  const { appName, appId, namespace, podName, conf, traits, behaviors } = driver;
  const submitted: Submitted = { ...printCluster(request), appName, appId, namespace, podName, behaviors };
  write(planLog, log);
  const client = await openClient(host, connectionOptions(request, log));
  const interrupted = interruption(host);
  try {
    const { signal } = interrupted;
    let hasEnded = false;
    const onEarlyEnd = () => {
      hasEnded = true;
    };
    const creating = createDriver({ host, client, log, manifests, driver, userSteps, signal, onEarlyEnd });
    // Log while the API works on the requests.
    if (behaviors.unknownSettings === "warn") {
      if (hasUncommonSettings(request.conf)) write(ignoredSettingLog(request.conf), log);
      if (request.appResource.uri.startsWith("file:")) write(mainClassLog(host, request), log);
    }
    const pod = await creating;
    // Report an end before the driver had all its files even if the settings say not to wait.
    if (!conf.get(waitAppCompletion) && !hasEnded) {
      if (firesteelWaitEntries.some((entry) => conf.has(entry)))
        write((await import("../unused-wait-settings.ts")).unusedWaitLog(conf, context), log);
      const id = `application ID ${appId} and submission ID ${namespace}:${podName}`;
      log("INFO", "Client", `Deployed Spark application ${appName} with ${id} into Kubernetes`);
      return { ...submitted, end: { kind: "notAwaited", pod } };
    }
    const { monitorDriver } = await import("./monitor/monitor-driver.ts");
    const result = await monitorDriver({
      ...{ host, client, log, interrupted, pod, traits, behaviors, resources, verbose, onWait },
      ...{ container: driverContainerName(manifests.pod), app: { name: appName, id: appId } },
      ...{ uploader: { host, owner: driver }, waitOptions: waitOptions(conf) },
      cluster: submitted,
    });
    return { ...submitted, ...result };
  } catch (error) {
    const { failedSubmission } = await import("./failed-submission.ts");
    return { ...submitted, end: await failedSubmission(error, { host, resources, behaviors, interrupted }) };
  } finally {
    interrupted.stop();
    client.close();
  }
}

function write(lines: readonly LogLine[], log: Log): void {
  for (const { level, logger, text } of lines) log(level, logger, text);
}
