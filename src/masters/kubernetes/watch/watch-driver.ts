import type { Behaviors } from "../../../conf/behaviors.ts";
import type { SparkLineTraits } from "../../../conf/spark-version.ts";
import type { Clock, Random, TextSink } from "../../../host/host.ts";
import type { Log } from "../../../host/log.ts";
import type { Pod } from "../../../kube/types.ts";
import type { KubeClient } from "../../../kube-client/client.ts";
import { driverChanges } from "./driver-changes.ts";
import { type DriverEnd, driverEnd } from "./driver-end.ts";
import { followDriverLog } from "./follow-driver-log.ts";
import { type LatestPod, latestPod } from "./latest-pod.ts";
import { printFinalStatuses, printPodState } from "./print-pod-state.ts";

/** Which driver is waited for, and what is told meanwhile. */
export interface WatchDriverCall {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly app: { readonly name: string; readonly id: string };
  /** As the API answered its creation. */
  readonly pod: Pod;
  /** Name of the driver's container. */
  readonly container: string;
  /** Ms between two status lines. Asked only after the first state was shown, as Spark does; may throw. */
  readonly reportIntervalMs: () => number;
  readonly traits: Pick<SparkLineTraits, "strayBraceInWaitingLine" | "watchNamesPodFirst">;
  readonly behaviors: Pick<Behaviors, "finalStatuses" | "watchPermission" | "watchRetries">;
  /** Gets the driver's log. @default nobody */
  readonly stdout?: TextSink | undefined;
  /** The phase is told after each interval. @default true */
  readonly reportsPhase?: boolean | undefined;
  /** Waited for at the driver's end, before anything is said of it. */
  readonly drain?: (() => Promise<void>) | undefined;
  /** Kept current for others who want to know of the pod. */
  readonly latest?: LatestPod | undefined;
  /** Stops the waiting; the driver goes on. */
  readonly signal?: AbortSignal | undefined;
}

const logger = "LoggingPodStatusWatcherImpl";

/**
 * Waits for the end of a driver and tells of its states, in Spark's words.
 *
 * Source: Spark LoggingPodStatusWatcherImpl; recorded with Spark 3.5.9 to 4.3.0.
 *
 * @throws what `reportIntervalMs` throws; SUBMIT_ERR_KUBE_WATCH, SUBMIT_ERR_KUBE_FORBIDDEN and other refusals of the watch
 */
export async function watchDriver(call: WatchDriverCall): Promise<DriverEnd> {
  const info = (text: string) => call.log("INFO", logger, text);
  const about = aboutApp(call);
  const { latest = latestPod(call.pod) } = call;
  info(stateLine(call.pod));
  const brace = call.traits.strayBraceInWaitingLine ? "}" : "";
  info(`Waiting for application ${call.app.name}${brace} ${about} to finish...`);
  const intervalMs = call.reportIntervalMs();
  const done = new AbortController();
  const end = awaitEnd(call, latest).finally(() => done.abort());
  await reportStatus(call, latest, { intervalMs, done: done.signal });
  const result = await end;
  if (result.kind === "unknown") return result;
  // Whoever reads the last exit code of it means the driver's.
  info(printFinalStatuses(result.pod, call.behaviors.finalStatuses === "spark" ? undefined : call.container));
  info(`Application ${call.app.name} ${about} finished`);
  return result;
}

function aboutApp({ app, pod }: WatchDriverCall): string {
  const { namespace = "", name = "" } = pod.metadata ?? {};
  return `with application ID ${app.id} and submission ID ${namespace}:${name}`;
}

function stateLine(pod: Pod): string {
  return `State changed, new state: ${printPodState(pod)}`;
}

/** Tells the phase after each interval, and once more when all is done. */
async function reportStatus(
  { app, clock, log, reportsPhase = true }: WatchDriverCall,
  latest: LatestPod,
  { intervalMs, done }: { intervalMs: number; done: AbortSignal },
): Promise<void> {
  if (!reportsPhase) return;
  while (!done.aborted) {
    await clock.sleep(intervalMs, { signal: done });
    const phase = latest.get().status?.phase ?? "unknown";
    log("INFO", logger, `Application status for ${app.id} (phase: ${phase})`);
  }
}

/** Follows states, and the log if somebody wants it, until both are at their end. */
async function awaitEnd(call: WatchDriverCall, latest: LatestPod): Promise<DriverEnd> {
  const { stdout, signal = new AbortController().signal } = call;
  const client = call.behaviors.watchRetries === "spark" ? call.client : call.client.withoutRetries();
  const log = stdout === undefined ? undefined : followDriverLog({ ...call, client, latest, stdout, signal });
  try {
    const end = await lastChange(call, latest, signal);
    await Promise.all([log?.drain(), call.drain?.()]);
    return end;
  } finally {
    log?.stop();
  }
}

async function lastChange(call: WatchDriverCall, latest: LatestPod, signal: AbortSignal): Promise<DriverEnd> {
  try {
    for await (const { pod, isGone } of driverChanges({ ...call, signal })) {
      latest.set(pod);
      if (isGone) return { kind: "deleted", pod };
      call.log("INFO", logger, stateLine(pod));
      const end = driverEnd(pod, call.container);
      if (end !== undefined) return end;
    }
    return { kind: "unknown", pod: latest.get() };
  } catch (error) {
    const { namespace = "", name = "" } = call.pod.metadata ?? {};
    const look = `kubectl get pod -n ${namespace} ${name}`;
    call.log(
      "WARN",
      logger,
      `The driver ${name} goes on, but cannot be waited for. Look at it with: ${look}`,
    );
    throw error;
  }
}
