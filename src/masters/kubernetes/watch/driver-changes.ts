import type { Behaviors } from "../../../conf/behaviors.ts";
import type { SparkLineTraits } from "../../../conf/spark-version.ts";
import { submitError } from "../../../errors/submit-error.ts";
import { resourceTypes } from "../../../kube/resources.ts";
import { statusOf } from "../../../kube/status.ts";
import type { Pod } from "../../../kube/types.ts";
import { backoff } from "../../../net/backoff.ts";
import { fetchPod } from "./fetch-pod.ts";
import type { WatchedPod } from "./latest-pod.ts";
import {
  type DriverChange,
  initialPodWatch,
  nextPodWatch,
  type PodWatchEvent,
  type PodWatchState,
  resourceVersionOf,
} from "./pod-watch.ts";
import { type WatchFailureLog, watchFailureLog } from "./watch-failure-log.ts";
import { watchWithIdleTimeout } from "./watch-with-idle-timeout.ts";

/** A pod as the API returned it at its creation, and the behavior of its watch. */
interface DriverChangesCall extends Omit<WatchedPod, "container"> {
  readonly behaviors: Pick<Behaviors, "watchRetries" | "watchPermission">;
  readonly traits: Pick<SparkLineTraits, "watchNamesPodFirst">;
}

const pollMs = 2000;
/** Maximum delay after a failure, and so the maximum delay of the report of the driver's end. */
const maxDelayMs = 5000;
/** A watch that lived longer than this, or sent a change, did not fail: the backoff restarts. */
const healthyMs = 10_000;

/** The running protocol: its state, and the means to perform its effects. */
interface PodFollower extends DriverChangesCall {
  readonly failureLog: WatchFailureLog;
  state: PodWatchState;
  wait: (signal: AbortSignal) => Promise<void>;
}

/**
 * Yields every change of a pod after its creation, until the pod is deleted or the signal aborts.
 *
 * A watch that ends, breaks, times out or expires is restarted after the pod is read again. No lasting change is missed.
 *
 * @throws SUBMIT_ERR_KUBE_WATCH with Spark's behavior; SUBMIT_ERR_KUBE_FORBIDDEN and other errors that a retry cannot resolve
 */
export async function* driverChanges(call: DriverChangesCall): AsyncGenerator<DriverChange, void, undefined> {
  const { clock, signal } = call;
  const follower = startFollower(call);
  for (let isFirst = true; !signal.aborted; isFirst = false) {
    const startedAt = clock.monotonic();
    const before = resourceVersionOf(follower.state.pod);
    try {
      if (!isFirst) {
        const { change } = advance(follower, {
          kind: "read",
          pod: await fetchPod(follower.client, follower.state.pod, follower.signal),
        });
        if (change !== undefined) yield change;
        if (change?.isDeleted) return;
      }
      if (follower.state.mode === "poll") {
        await clock.sleep(pollMs, { signal });
        continue;
      }
      for await (const change of watchPod(follower)) {
        yield change;
        if (change.isDeleted) return;
      }
    } catch (error) {
      if (signal.aborted) return;
      if (isFirst && call.behaviors.watchRetries === "spark") throwFirstRejection(error, call);
      advance(follower, { kind: "failed", error, nowMs: clock.monotonic() });
    }
    const hasChanged = resourceVersionOf(follower.state.pod) !== before;
    if (hasChanged || clock.monotonic() - startedAt > healthyMs) follower.wait = startBackoff(call);
    await follower.wait(signal);
  }
}

function startFollower(call: DriverChangesCall): PodFollower {
  return {
    ...call,
    // Spark logs each failed request, so Spark's behavior needs the client's own retries.
    client: call.behaviors.watchRetries === "spark" ? call.client : call.client.withoutRetries(),
    failureLog: watchFailureLog(call.clock, call.log, call.behaviors),
    state: initialPodWatch(call.latest.get()),
    wait: startBackoff(call),
  };
}

function startBackoff({ clock, random }: DriverChangesCall): (signal: AbortSignal) => Promise<void> {
  return backoff(clock, random, maxDelayMs).wait;
}

/** Applies an event to the state and logs. Returns the other effects. @throws the error of a `fail` effect */
function advance(follower: PodFollower, event: PodWatchEvent) {
  const { state, effects } = nextPodWatch(follower.state, event, follower.behaviors);
  follower.state = state;
  let change: DriverChange | undefined;
  for (const effect of effects) {
    if (effect.kind === "fail") throw effect.error;
    if (effect.kind === "logRecovery") follower.failureLog.recovered();
    if (effect.kind === "logRetry") follower.failureLog.retry(effect.reason);
    if (effect.kind === "logPolling") follower.failureLog.poll(pollMs, effect.reason);
    if (effect.kind === "report") change = effect.change;
  }
  return { change, endsWatch: effects.some(({ kind }) => kind === "endWatch") };
}

/** Yields the changes that one watch request sends. */
async function* watchPod(follower: PodFollower): AsyncGenerator<DriverChange> {
  const { client, clock, signal, state } = follower;
  const { name = "", namespace = "" } = state.pod.metadata ?? {};
  const events = watchWithIdleTimeout<Pod>(client, clock, {
    ...{ type: resourceTypes.pod, namespace, fieldSelector: `metadata.name=${name}` },
    ...{ resourceVersion: resourceVersionOf(state.pod), signal },
  });
  for await (const event of events) {
    const { change, endsWatch } = advance(follower, { kind: "watched", event });
    if (endsWatch) return;
    if (change !== undefined) yield change;
  }
}

const reasonPhrases = new Map([
  [400, "Bad Request"],
  [401, "Unauthorized"],
  [403, "Forbidden"],
  [404, "Not Found"],
  [410, "Gone"],
]);

/** Throws SUBMIT_ERR_KUBE_WATCH for a status of the API, with the text of Spark's client library, which requests a WebSocket. */
function throwFirstRejection(error: unknown, { client, latest, traits }: DriverChangesCall): void {
  const status = statusOf(error)?.code ?? 0;
  const reason = reasonPhrases.get(status);
  if (reason === undefined) return;
  const { namespace = "", name = "" } = latest.get().metadata ?? {};
  const terms = ["allowWatchBookmarks=true", `fieldSelector=metadata.name%3D${name}`];
  const query = (traits.watchNamesPodFirst ? terms.reverse() : terms).join("&");
  const url = `${client.server}/api/v1/namespaces/${namespace}/pods?${query}&watch=true`;
  throw submitError("SUBMIT_ERR_KUBE_WATCH", { status, url, reason }, { cause: error });
}
