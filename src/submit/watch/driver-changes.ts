import { hasCode, isSubmitError, messageOf } from "../../errors/submit-error.ts";
import type { Clock, Random } from "../../host/host.ts";
import type { Log } from "../../host/log.ts";
import { resourceTypes } from "../../kube/resources.ts";
import { statusOf } from "../../kube/status.ts";
import type { ObjectMeta, Pod } from "../../kube/types.ts";
import { backoff } from "../../kube-client/backoff.ts";
import type { KubeClient } from "../../kube-client/client.ts";

/** Whose changes, and by which means they are learned. */
export interface DriverChangesCall {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** As the API answered its creation. */
  readonly pod: Pod;
  /** Without the right to watch: fail, as Spark does. Else the pod is looked at now and then. */
  readonly strict: boolean;
  readonly signal: AbortSignal;
}

/** A pod as it is now; `isGone` when it does not exist any more, and then this is what was last seen of it. */
export interface DriverChange {
  readonly pod: Pod;
  readonly isGone: boolean;
}

const logger = "LoggingPodStatusWatcherImpl";
const watchSeconds = 300;
const pollMs = 2000;
const unauthorizedAttempts = 5;

/**
 * Every change of a pod after its creation, until it is gone or the signal comes. A watch that ends, breaks, or is too
 * old is begun anew after a look at the pod, so no change that lasts is missed.
 *
 * @throws SUBMIT_ERR_KUBE_FORBIDDEN and other refusals that trying again cannot mend
 */
export async function* driverChanges(call: DriverChangesCall): AsyncGenerator<DriverChange, void, undefined> {
  const { clock, signal } = call;
  const wait = backoff(clock, call.random).wait;
  let last = call.pod;
  let unauthorized = 0;
  let polls = false;
  for (let isCurrent = true; !signal.aborted; isCurrent = false) {
    try {
      if (!isCurrent) {
        const now = await fetchPod(call);
        if (now === undefined) return yield { pod: last, isGone: true };
        if (versionOf(now) !== versionOf(last)) yield { pod: now, isGone: false };
        last = now;
        unauthorized = 0;
      }
      if (polls) {
        await clock.sleep(pollMs, { signal });
        continue;
      }
      for await (const change of watchPod(call, versionOf(last))) {
        yield change;
        if (change.isGone) return;
        last = change.pod;
      }
    } catch (error) {
      if (signal.aborted) return;
      if (hasCode(error, "SUBMIT_ERR_KUBE_UNAUTHORIZED")) unauthorized += 1;
      if (unauthorized >= unauthorizedAttempts) throw error;
      polls = pollsAfter(error, call, polls);
    }
    await wait(signal);
  }
}

/** Whether the pod is looked at from now on instead of watched. Throws what trying again cannot mend. */
function pollsAfter(error: unknown, { log, strict }: DriverChangesCall, polls: boolean): boolean {
  const reason = messageOf(error);
  if (statusOf(error)?.code === 403 && !strict && !polls) {
    log("WARN", logger, `The driver cannot be watched and is looked at every ${pollMs / 1000} s: ${reason}`);
    return true;
  }
  if (!mayPass(error)) throw error;
  log("WARN", logger, `Watching the driver will be tried again: ${reason}`);
  return polls;
}

/** The changes that one watch tells. */
async function* watchPod(call: DriverChangesCall, resourceVersion: string): AsyncGenerator<DriverChange> {
  const { name = "", namespace = "", uid } = metadataOf(call.pod);
  const events = call.client.watch<Pod>({
    type: resourceTypes.pod,
    namespace,
    fieldSelector: `metadata.name=${name}`,
    resourceVersion,
    timeoutSeconds: watchSeconds,
    signal: call.signal,
  });
  for await (const event of events) {
    // 410 and the like: the watch is over, and a look at the pod tells the rest.
    if (event.type === "ERROR") return;
    if (event.type === "BOOKMARK") continue;
    const isAnother = metadataOf(event.object).uid !== uid;
    if (isAnother) return;
    yield { pod: event.object, isGone: event.type === "DELETED" };
  }
}

async function fetchPod({ client, pod, signal }: DriverChangesCall): Promise<Pod | undefined> {
  const { name = "", namespace = "", uid } = metadataOf(pod);
  try {
    const found = await client.get<Pod>({ type: resourceTypes.pod, namespace, name, signal });
    return metadataOf(found).uid === uid ? found : undefined;
  } catch (error) {
    if (hasCode(error, "SUBMIT_ERR_KUBE_NOT_FOUND")) return undefined;
    throw error;
  }
}

/** Whether waiting may help: the API is away, too busy, or wants newer credentials. */
function mayPass(error: unknown): boolean {
  if (!isSubmitError(error)) return false;
  const { code, kind } = error;
  if (kind === "unreachable" || kind === "timeout") return true;
  if (code === "SUBMIT_ERR_KUBE_UNAUTHORIZED" || code === "SUBMIT_ERR_KUBE_ANSWER") return true;
  const status = statusOf(error)?.code ?? 0;
  return status >= 500 || status === 429 || status === 410;
}

function versionOf(pod: Pod): string {
  return metadataOf(pod).resourceVersion ?? "";
}

function metadataOf({ metadata = {} }: Pod): ObjectMeta {
  return metadata;
}
