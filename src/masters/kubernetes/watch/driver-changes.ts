import type { Behaviors } from "../../../conf/behaviors.ts";
import type { SparkLineTraits } from "../../../conf/spark-version.ts";
import {
  hasCode,
  isSubmitError,
  messageOf,
  type SubmitError,
  submitError,
} from "../../../errors/submit-error.ts";
import { backoff } from "../../../host/backoff.ts";
import type { Clock, Random } from "../../../host/host.ts";
import type { Log } from "../../../host/log.ts";
import { resourceTypes } from "../../../kube/resources.ts";
import { statusOf } from "../../../kube/status.ts";
import type { ObjectMeta, Pod } from "../../../kube/types.ts";
import type { KubeClient } from "../../../kube-client/client.ts";
import { type WatchFailureLog, watchFailureLog } from "./watch-failure-log.ts";
import { watchWithIdleTimeout } from "./watch-with-idle-timeout.ts";

/** Whose changes, and by which means they are learned. */
export interface DriverChangesCall {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** As the API answered its creation. */
  readonly pod: Pod;
  readonly behaviors: Pick<Behaviors, "watchRetries" | "watchPermission">;
  readonly traits: Pick<SparkLineTraits, "watchNamesPodFirst">;
  readonly signal: AbortSignal;
}

/** A pod as it is now; `isGone` when it does not exist any more, and then this is what was last seen of it. */
export interface DriverChange {
  readonly pod: Pod;
  readonly isGone: boolean;
}

const pollMs = 2000;
/** The longest pause after a failure: the end of the driver is told at most so much late. */
const maxDelayMs = 5000;
/** A watch that lived so long, or told anything, was no failure. */
const healthyMs = 10_000;
// Credentials are read anew with each attempt, and whoever renews them may need a while.
const unauthorizedAttempts = 5;
const unauthorizedMs = 120_000;

interface Following extends DriverChangesCall {
  readonly complaints: WatchFailureLog;
  /** What was last seen. */
  last: Pod;
  /** The pod is looked at now and then; nothing is watched. */
  polls: boolean;
  unauthorized: { attempts: number; sinceMs: number };
  wait: (signal: AbortSignal) => Promise<void>;
}

/**
 * Every change of a pod after its creation, until it is gone or the signal comes. A watch that ends, breaks, falls silent, or
 * is too old is begun anew after a look at the pod, so no change that lasts is missed.
 *
 * @throws SUBMIT_ERR_KUBE_WATCH where Spark's behaviour is wanted; SUBMIT_ERR_KUBE_FORBIDDEN and other refusals that trying again cannot mend
 */
export async function* driverChanges(call: DriverChangesCall): AsyncGenerator<DriverChange, void, undefined> {
  const { clock, signal } = call;
  const following = startFollowing(call);
  for (let isCurrent = true; !signal.aborted; isCurrent = false) {
    const since = clock.monotonic();
    const before = versionOf(following.last);
    try {
      if (!isCurrent) {
        const change = await look(following);
        if (change !== undefined) yield change;
        if (change?.isGone) return;
      }
      if (following.polls) {
        await clock.sleep(pollMs, { signal });
        continue;
      }
      for await (const change of watchPod(following)) {
        yield change;
        if (change.isGone) return;
      }
    } catch (error) {
      if (signal.aborted) return;
      const refusal =
        isCurrent && call.behaviors.watchRetries === "spark" ? firstRefusal(error, call) : undefined;
      if (refusal !== undefined) throw refusal;
      judge(error, following);
    }
    const wasHealthy = versionOf(following.last) !== before || clock.monotonic() - since > healthyMs;
    if (wasHealthy) following.wait = pauses(call);
    await following.wait(signal);
  }
}

function startFollowing(call: DriverChangesCall): Following {
  return {
    ...call,
    // Spark's words about each failed request are wanted where everything is to be as Spark's.
    client: call.behaviors.watchRetries === "spark" ? call.client : call.client.withoutRetries(),
    complaints: watchFailureLog(call),
    last: call.pod,
    polls: false,
    unauthorized: { attempts: 0, sinceMs: 0 },
    wait: pauses(call),
  };
}

function pauses({ clock, random }: DriverChangesCall): (signal: AbortSignal) => Promise<void> {
  return backoff(clock, random, maxDelayMs).wait;
}

const reasonPhrases = new Map([
  [400, "Bad Request"],
  [401, "Unauthorized"],
  [403, "Forbidden"],
  [404, "Not Found"],
  [410, "Gone"],
]);

/** A first watch that is refused, in the words of Spark's client library, which asks for a WebSocket. */
function firstRefusal(error: unknown, { client, pod, traits }: DriverChangesCall): SubmitError | undefined {
  const status = statusOf(error)?.code ?? 0;
  const reason = reasonPhrases.get(status);
  if (reason === undefined) return undefined;
  const { namespace = "", name = "" } = metadataOf(pod);
  const terms = ["allowWatchBookmarks=true", `fieldSelector=metadata.name%3D${name}`];
  const query = (traits.watchNamesPodFirst ? terms.reverse() : terms).join("&");
  const url = `${client.server}/api/v1/namespaces/${namespace}/pods?${query}&watch=true`;
  return submitError("SUBMIT_ERR_KUBE_WATCH", { status, url, reason }, { cause: error });
}

/** Goes on without a watch, or tries again. Throws what trying again cannot mend. */
function judge(error: unknown, following: Following): void {
  const { complaints, clock, behaviors, unauthorized, polls } = following;
  if (hasCode(error, "SUBMIT_ERR_KUBE_UNAUTHORIZED")) {
    if (unauthorized.attempts === 0) unauthorized.sinceMs = clock.monotonic();
    unauthorized.attempts += 1;
    const isLong =
      behaviors.watchRetries === "spark" || clock.monotonic() - unauthorized.sinceMs > unauthorizedMs;
    if (unauthorized.attempts >= unauthorizedAttempts && isLong) throw error;
  }
  const reason = messageOf(error);
  if (statusOf(error)?.code === 403 && behaviors.watchPermission === "poll" && !polls) {
    complaints.poll(pollMs, reason);
    following.polls = true;
  } else if (mayPass(error)) complaints.tryAgain(reason);
  else throw error;
}

/** The changes that one watch tells. */
async function* watchPod(following: Following): AsyncGenerator<DriverChange> {
  const { client, clock, complaints, last, signal } = following;
  const { name = "", namespace = "", uid } = metadataOf(last);
  const events = watchWithIdleTimeout<Pod>(client, clock, {
    type: resourceTypes.pod,
    namespace,
    fieldSelector: `metadata.name=${name}`,
    resourceVersion: versionOf(last),
    signal,
  });
  for await (const event of events) {
    // 410 and the like: the watch is over, and a look at the pod tells the rest.
    if (event.type === "ERROR") return;
    complaints.recovered();
    if (event.type === "BOOKMARK") continue;
    const isAnother = metadataOf(event.object).uid !== uid;
    if (isAnother) return;
    following.last = event.object;
    yield { pod: event.object, isGone: event.type === "DELETED" };
  }
}

/** What changed since the pod was last seen, if anything. */
async function look(following: Following): Promise<DriverChange | undefined> {
  const { last } = following;
  const now = await fetchPod(following);
  following.unauthorized.attempts = 0;
  following.complaints.recovered();
  if (now === undefined) return { pod: last, isGone: true };
  following.last = now;
  return versionOf(now) === versionOf(last) ? undefined : { pod: now, isGone: false };
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
  if (code === "SUBMIT_ERR_KUBE_UNAUTHORIZED" || code === "SUBMIT_ERR_KUBE_RESPONSE") return true;
  const status = statusOf(error)?.code ?? 0;
  return status >= 500 || status === 429 || status === 410;
}

function versionOf(pod: Pod): string {
  return metadataOf(pod).resourceVersion ?? "";
}

function metadataOf({ metadata = {} }: Pod): ObjectMeta {
  return metadata;
}
