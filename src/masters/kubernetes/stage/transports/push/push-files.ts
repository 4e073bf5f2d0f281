import {
  firesteelFailFast,
  firesteelStartTimeout,
  firesteelSubmissionToken,
} from "../../../../../conf/entries/firesteel.ts";
import { pushServiceType, pushTimeout } from "../../../../../conf/entries/pushing.ts";
import { submitError } from "../../../../../errors/submit-error.ts";
import { showProgress } from "../../../../../host/progress.ts";
import type { Pod } from "../../../../../kube/types.ts";
import { pushEntries } from "../../../../../staging-client/push-entries.ts";
import { withoutResourceVersion } from "../../../watch/latest-pod.ts";
import type { TransferCall } from "../../transfer/transfer-files.ts";
import { closeService } from "./close-service.ts";
import { findPushTarget } from "./find-push-target.ts";
import { type InitContainerOutcome, type PodWait, waitForInitContainer } from "./wait-for-init-container.ts";

interface PushCall extends TransferCall {
  readonly secret: string;
}

/**
 * Waits for the init container and sends it the files. Returns the pod, with its final state if the driver has ended.
 *
 * @throws SUBMIT_ERR_STAGING_UNDELIVERED, SUBMIT_ERR_STAGING_REJECTED, SUBMIT_ERR_STAGING_UNREACHABLE, SUBMIT_ERR_STAGED_FILE_CHANGED,
 *   SUBMIT_ERR_STAGING_NO_ADDRESS, SUBMIT_ERR_FEATURE_STEP_…, SUBMIT_ERR_INTERRUPTED, SUBMIT_ERR_KUBE_…
 */
export async function pushFiles(call: PushCall, pod: Pod): Promise<Pod> {
  const timeoutMs = timeoutOf(call);
  const awaited = waitForInitContainer(call, pod);
  try {
    const outcome = await awaited.ready({ timeoutMs, failFast: call.driver.conf.get(firesteelFailFast) });
    const { kind } = outcome;
    if (call.signal?.aborted === true) throw submitError("SUBMIT_ERR_INTERRUPTED", {});
    if (kind === "delivered") return delivered(call, pod);
    if (kind === "ended") return ended(call, awaited);
    if (kind !== "waiting") throw undelivered(awaited, outcome, timeoutMs);
    return await send(call, awaited, pod);
  } finally {
    awaited.stop();
  }
}

async function delivered(call: PushCall, pod: Pod): Promise<Pod> {
  if (call.driver.conf.get(pushServiceType) !== "PortForward") await closeService(call);
  return pod;
}

/** Returns the smaller timeout of start and push: a driver cannot start before it has all files. */
function timeoutOf({ driver: { conf } }: PushCall): number {
  const startMs = conf.get(firesteelStartTimeout);
  const ownMs = conf.get(pushTimeout);
  return startMs === 0 ? ownMs : Math.min(startMs, ownMs);
}

function ended({ onEarlyEnd }: PushCall, awaited: PodWait): Pod {
  const pod = awaited.latest();
  const { name = "" } = pod.metadata ?? {};
  if (awaited.isDeleted())
    throw submitError("SUBMIT_ERR_STAGING_UNDELIVERED", { pod: name, reason: "It was deleted." });
  onEarlyEnd();
  return withoutResourceVersion(pod);
}

function undelivered(awaited: PodWait, { kind, diagnosis }: InitContainerOutcome, timeoutMs: number) {
  const { metadata, status } = awaited.latest();
  const why = diagnosis?.message ?? `It is in the phase ${status?.phase ?? "unknown"}.`;
  return submitError("SUBMIT_ERR_STAGING_UNDELIVERED", {
    pod: metadata?.name ?? "",
    reason: kind === "late" ? `${why} It had ${timeoutMs / 1000} s to start its init container.` : why,
    nextStep: diagnosis?.nextStep,
  });
}

async function send(call: PushCall, awaited: PodWait, pod: Pod): Promise<Pod> {
  const { host, log, localized, secret } = call;
  const transfer = showProgress(host).transfer("files of this machine");
  const { signal } = awaited;
  try {
    const target = await findPushTarget({ ...call, signal }, pod);
    log("INFO", "Staging", `Sending the files of this machine to ${pod.metadata?.name}, by ${target.description}`);
    await pushEntries(host, {
      ...{ ...target, secret, signal, files: localized.entries },
      isShared: call.driver.conf.get(firesteelSubmissionToken) !== undefined,
      onProgress: ({ bytes, totalBytes }) => transfer.update(bytes, totalBytes),
    });
    return await delivered(call, pod);
  } catch (error) {
    if (call.signal?.aborted === true) throw submitError("SUBMIT_ERR_INTERRUPTED", {});
    if (awaited.isDelivered()) return delivered(call, pod);
    // The reason of the driver's end explains more than a broken connection.
    if (signal.aborted) return ended(call, awaited);
    throw error;
  } finally {
    transfer.end();
  }
}
