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
import type { KubernetesMaster } from "../../plan/master.ts";
import type { SubmitRequest } from "../../plan/submit-request.ts";
import { type DraftRequest, draftAccepted, draftRequest, type ResolveInput } from "../../resolve/resolve.ts";
import type { ResolvedSettings } from "../../resolve/resolve-settings.ts";
import type { Manifests } from "../../spec/manifests.ts";
import type { UserStep } from "../../spec/user-steps/user-step.ts";
import { connectOverNetwork, type OpenClient } from "./connect-over-network.ts";
import { connectionOptions, printMaster } from "./connection-options.ts";
import { type ApplyCall, applyManifests } from "./create/apply-manifests.ts";
import { prepareDriver } from "./prepare-driver.ts";
import type { Staging } from "./stage/staging.ts";
import type { SubmitOutcome, Submitted } from "./submit-outcome.ts";
import { waitOptions } from "./wait-options.ts";
import { driverContainerName } from "./watch/driver-end.ts";
import { type Interruption, interruption } from "./watch/interruption.ts";

/** A submission, as asked for or already decided. */
export type SubmitCall = (
  | Omit<ResolveInput, "log">
  | { readonly host: Host; readonly request: SubmitRequest }
) & {
  /** @default stderr, in Spark's layout */
  readonly log?: Log;
  /** Feature steps of the caller, after all others. @default none */
  readonly extraSteps?: readonly UserStep[];
  /** @default over the network */
  readonly openClient?: OpenClient;
};

/**
 * Submits an application to Kubernetes in cluster mode, and waits for its driver if that is wanted.
 *
 * @throws SubmitError when it is refused by us or by the API; then nothing is left in the cluster
 */
export async function submit(call: SubmitCall): Promise<SubmitOutcome> {
  const log = call.log ?? sparkLog(call.host);
  const draft =
    "request" in call ? { request: call.request, issues: [] } : await draftRequest({ ...call, log });
  return submitDrafted(call, draft, log);
}

/** The same for what is understood, and accepted for Kubernetes in cluster mode. */
export async function submitResolved(
  call: Pick<SubmitCall, "host" | "extraSteps" | "openClient"> & Pick<ResolveInput, "openEmbedded">,
  { understood, master }: { readonly understood: ResolvedSettings; readonly master: KubernetesMaster },
): Promise<SubmitOutcome> {
  return submitDrafted(call, await draftAccepted(understood, master, call.openEmbedded), understood.log);
}

async function submitDrafted(
  call: Pick<SubmitCall, "host" | "extraSteps" | "openClient">,
  draft: DraftRequest,
  log: Log,
): Promise<SubmitOutcome> {
  const { host } = call;
  const { conf, behaviors } = draft.request;
  const run = () => submitDraft(call, draft, log);
  if (behaviors.mainExit === "ignored" || draft.issues.length > 0 || !conf.has(callSystemExitOnMainExit))
    return run();
  const { withMainExitMessage } = await import("./with-main-exit-message.ts");
  return withMainExitMessage(host, conf, run);
}

async function submitDraft(
  call: Pick<SubmitCall, "host" | "extraSteps" | "openClient">,
  draft: DraftRequest,
  log: Log,
): Promise<SubmitOutcome> {
  const { host, extraSteps, openClient = connectOverNetwork } = call;
  const { request } = draft;
  const { driver, manifests, log: told } = await prepareDriver(host, draft, { extraSteps });
  tell(told, log);
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
    // While the API works.
    if (request.behaviors.unknownSettings === "warn" && hasUncommonSettings(request.conf))
      tell(ignoredSettingLog(request.conf), log);
    const pod = await creating;
    const { resources } = manifests;
    return await accompany({
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
    });
  } catch (error) {
    return takenBack(
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

function tell(lines: readonly LogLine[], log: Log): void {
  for (const { level, logger, text } of lines) log(level, logger, text);
}

/** A refusal of the API, with what to do about it as far as a reason is found. */
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

/** Most submissions have no files of their own, or carry them in objects. */
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
  const { resumed } = await import("./stage/resume-staging.ts");
  const stopped = signal && abortSignalOf(signal);
  const { resources } = manifests;
  return resumed({ ...creation, resources, behaviors: request.behaviors, signal: stopped }, pod);
}

/** A driver that was just created, and who looks after it. */
interface Accompanied {
  readonly host: Host;
  readonly client: KubeClient;
  readonly log: Log;
  readonly interrupted: Interruption;
  readonly driver: DriverConf;
  readonly pod: Pod;
  /** Name of the driver's container. */
  readonly container: string;
  readonly request: SubmitRequest;
  /** While files were on their way to it: that is told even where nobody wants to wait. */
  readonly hasEnded: boolean;
  /** All that was created besides the pod. */
  readonly resources: readonly KubeResource[];
}

async function accompany(accompanied: Accompanied): Promise<SubmitOutcome> {
  const { driver, log, host, client, interrupted, pod, container, request, resources, hasEnded } =
    accompanied;
  const { appName, appId, namespace, podName, conf, traits } = driver;
  const submitted = submittedBy(accompanied);
  if (!conf.get(waitAppCompletion) && !hasEnded) {
    const text = `Deployed Spark application ${appName} with application ID ${appId} and submission ID ${namespace}:${podName} into Kubernetes`;
    log("INFO", "Client", text);
    return { ...submitted, end: { kind: "notAwaited" } };
  }
  const { accompanyDriver } = await import("./monitor/accompany.ts");
  const { end, diagnosis } = await accompanyDriver({
    ...{ host, client, log, interrupted, pod, container, traits, resources },
    app: { name: appName, id: appId },
    behaviors: request.behaviors,
    uploader: { host, owner: driver },
    wishes: waitOptions(conf),
  });
  return { ...submitted, end, diagnosis };
}

function submittedBy({ driver, request }: Pick<Accompanied, "driver" | "request">): Submitted {
  const { appName, appId, namespace, podName } = driver;
  return { master: printMaster(request), appName, appId, namespace, podName, behaviors: request.behaviors };
}

/** An interruption while the objects were being created is an end like others; everything else is thrown on. */
function takenBack(
  error: unknown,
  accompanied: Pick<Accompanied, "driver" | "request" | "interrupted">,
): SubmitOutcome {
  const signal = accompanied.interrupted.received();
  if (signal === undefined || !isSubmitError(error) || error.code !== "SUBMIT_ERR_INTERRUPTED") throw error;
  const [, ...left] = error.issues;
  return { ...submittedBy(accompanied), end: { kind: "interrupted", signal, driver: "takenBack", left } };
}
