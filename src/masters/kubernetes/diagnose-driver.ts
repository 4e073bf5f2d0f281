import { diagnose } from "../../diagnosis/diagnose.ts";
import type { Diagnosis } from "../../diagnosis/diagnosis.ts";
import type { Observation } from "../../diagnosis/observation.ts";
import type { Clock, Random } from "../../host/host.ts";
import type { Log } from "../../host/log.ts";
import { isFinalPhase } from "../../kube/pod-phase.ts";
import { resourceTypes } from "../../kube/resources.ts";
import type { Pod } from "../../kube/types.ts";
import type { KubeClient } from "../../kube-client/client.ts";
import type { TrackedObject } from "./diagnose/informer.ts";
import { observer } from "./diagnose/observer.ts";
import { driverContainerOf } from "./watch/driver-end.ts";
import { latestPod } from "./watch/latest-pod.ts";
import { type ReachDriverCall, withDriver } from "./with-driver.ts";

const intervalMs = 1000;
// The observer reads related objects of a waiting driver from its third second on. More observations find nothing new.
const maxObservations = 6;

/** A driver that is observed, and the means to read about it. */
interface ObservedDriverCall {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Last known state of the driver's pod. */
  readonly pod: Pod;
  /** Whether the pod does not exist any more. @default false */
  readonly isDeleted?: boolean;
  /** Ends the observation early. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Observes a running or ended driver for at most 6 s, and returns its problem; `undefined` if there is none.
 *
 * @throws what `withDriver` throws
 */
export function diagnoseDriver(call: ReachDriverCall): Promise<Diagnosis | undefined> {
  const { clock, random } = call.host;
  return withDriver(call, [], ({ client, pod, log }) => observeDriver({ client, clock, random, log, pod }));
}

/**
 * Observes a driver until a rule knows its problem, it has ended or the signal aborts, at most 6 s. Returns the problem; `undefined` if
 * there is none.
 *
 * @throws SUBMIT_ERR_KUBE_…
 */
export async function observeDriver(call: ObservedDriverCall): Promise<Diagnosis | undefined> {
  return (await lastObservation(call)).diagnosis;
}

/** Last observation of a driver, and its diagnosis. */
export interface ObservedDriver {
  readonly diagnosis: Diagnosis | undefined;
  readonly observation: Observation;
  readonly executors: readonly TrackedObject<Pod>[];
  readonly pod: Pod;
}

/** Observes a driver as `observeDriver` does, and also returns the facts. @throws SUBMIT_ERR_KUBE_… */
export async function lastObservation(call: ObservedDriverCall): Promise<ObservedDriver> {
  const { client, clock, random, log, pod, isDeleted = false } = call;
  const ended = new AbortController();
  const signal = call.signal === undefined ? ended.signal : AbortSignal.any([ended.signal, call.signal]);
  const latest = latestPod(pod);
  const { namespace = "", name = "" } = pod.metadata ?? {};
  const observed = observer({
    ...{ client, clock, random, log, latest, container: driverContainerOf(pod), signal },
    deniedLevel: "WARN",
  });
  try {
    for (let count = 1; ; count += 1) {
      await clock.sleep(intervalMs, { signal });
      const observation = await observed.observe({ isDeleted });
      const diagnosis = diagnose(observation);
      const hasEnded = isDeleted || isFinalPhase(latest.get().status?.phase);
      if (diagnosis !== undefined || hasEnded || signal.aborted || count === maxObservations)
        return { diagnosis, observation, executors: observed.executors(), pod: latest.get() };
      latest.set(await client.get<Pod>({ type: resourceTypes.pod, namespace, name }));
    }
  } finally {
    ended.abort();
  }
}
