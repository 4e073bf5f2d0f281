import { isFinalPhase } from "../../../kube/pod-phase.ts";
import { resourceTypes } from "../../../kube/resources.ts";
import { statusOf } from "../../../kube/status.ts";
import type { Pod } from "../../../kube/types.ts";
import { appSelectorLabel, executorIdLabel, roleLabel } from "../../../plan/labels.ts";
import { type Informer, startInformer } from "../diagnose/informer.ts";
import { followExecutorLogs } from "../logs/follow-executor-logs.ts";
import { driverContainerOf } from "../watch/driver-end.ts";
import { type DriverLogRange, followDriverLog } from "../watch/follow-driver-log.ts";
import { type LatestPod, latestPod } from "../watch/latest-pod.ts";
import type { LogsCall } from "./application-logs.ts";

/**
 * Prints logs, or the end of them, and new lines until the driver ends or the signal aborts. New executors are added. Reconnects without
 * losing or repeating a line. Without permission to list pods, reads the driver's pod at intervals.
 *
 * @throws SUBMIT_ERR_KUBE_FORBIDDEN without permission to list the executors, or to get the driver
 */
export async function followLogs(
  call: LogsCall & { readonly range: DriverLogRange; readonly signal: AbortSignal },
): Promise<void> {
  const { driver, source, signal } = call;
  const stopped = new AbortController();
  const latest = latestPod(driver);
  const ended = new AbortController();
  const watched = { ...call, latest, signal: AbortSignal.any([signal, stopped.signal]) };
  const denied = new AbortController();
  const pods = watchApplicationPods(watched, (error) => denied.abort(error));
  pods.onChange(({ object, isDeleted }) => {
    if (object.metadata?.name !== driver.metadata?.name) return;
    latest.set(object);
    if (isDeleted) ended.abort();
  });
  const followed = source === "driver" ? followDriver(watched) : followExecutorsOf(watched, pods);
  try {
    await untilFinal(latest, AbortSignal.any([signal, ended.signal, denied.signal]));
    if (denied.signal.aborted && source !== "driver") throw denied.signal.reason;
    if (denied.signal.aborted) await pollDriver(watched);
    if (!signal.aborted) await followed.drain();
  } finally {
    followed.stop();
    stopped.abort();
  }
}

interface WatchedLogs extends LogsCall {
  readonly range: DriverLogRange;
  readonly latest: LatestPod;
  readonly signal: AbortSignal;
}

/** Lists and watches the pods of an application. @param onDenied receives the error if the account may not list them */
function watchApplicationPods(call: WatchedLogs, onDenied: (error: unknown) => void): Informer<Pod> {
  const { namespace = "", labels = {} } = call.driver.metadata ?? {};
  return startInformer<Pod>({
    ...{ ...call, client: call.client.withoutRetries(), type: resourceTypes.pod, namespace, onDenied },
    labelSelector: `${appSelectorLabel}=${labels[appSelectorLabel] ?? ""}`,
  });
}

function followDriver(call: WatchedLogs) {
  return followDriverLog({ ...call, container: driverContainerOf(call.driver) });
}

function followExecutorsOf(call: WatchedLogs, { get, onChange }: Informer<Pod>) {
  const { source } = call;
  const isFollowed = ({ metadata }: Pod) =>
    metadata?.labels?.[roleLabel] === "executor" &&
    (typeof source !== "object" || metadata.labels[executorIdLabel] === source.executorId);
  const executors = () => get().filter(({ object }) => isFollowed(object));
  return followExecutorLogs({ ...call, observer: { executors, onChange } });
}

/** Waits until the pod has ended or the signal aborts. */
async function untilFinal(latest: LatestPod, signal: AbortSignal): Promise<void> {
  await latest.until(({ status }) => isFinalPhase(status?.phase), signal);
}

const pollMs = 5000;

/** Reads the driver's pod at intervals until it has ended or does not exist. @throws SUBMIT_ERR_KUBE_FORBIDDEN */
async function pollDriver({ client, clock, driver, latest, signal }: WatchedLogs): Promise<void> {
  const { namespace = "", name = "" } = driver.metadata ?? {};
  const reader = client.withoutRetries();
  while (!signal.aborted && !isFinalPhase(latest.get().status?.phase)) {
    try {
      latest.set(await reader.get<Pod>({ type: resourceTypes.pod, namespace, name }));
    } catch (error) {
      const status = statusOf(error)?.code;
      if (status === 404) return;
      if (status === 403) throw error;
    }
    if (!isFinalPhase(latest.get().status?.phase)) await clock.sleep(pollMs, { signal });
  }
}
