import type { Behaviors } from "../../../conf/behaviors.ts";
import type { SparkLineTraits } from "../../../conf/spark-version.ts";
import { hasCode } from "../../../errors/submit-error.ts";
import type { TextSink } from "../../../host/host.ts";
import { logLines } from "../../../host/log.ts";
import type { Pod } from "../../../kube/types.ts";
import { unwatchedDriverText } from "../../print-cluster-options.ts";
import type { DriverEnd, Submitted } from "../../submit-outcome.ts";
import { quotedLine } from "../../without-driver-fields.ts";
import { driverChanges } from "./driver-changes.ts";
import { driverEnd } from "./driver-end.ts";
import { followDriverLog } from "./follow-driver-log.ts";
import type { WatchedPod } from "./latest-pod.ts";
import { printFinalStatuses, printPodState } from "./print-pod-state.ts";

/** A driver as the API returned it at its creation, which `watchDriver` keeps current. The signal stops only the wait. */
interface WatchDriverCall extends WatchedPod {
  readonly app: { readonly name: string; readonly id: string };
  /** Returns the ms between two status lines. Called after the first state was logged, as Spark does. @throws for an invalid setting */
  readonly reportIntervalMs: () => number;
  readonly traits: Pick<SparkLineTraits, "strayBraceInWaitingLine" | "watchNamesPodFirst">;
  readonly behaviors: Pick<Behaviors, "finalStatuses" | "watchPermission" | "watchRetries">;
  /** Receives the driver's log. @default the log is not read */
  readonly stdout?: TextSink | undefined;
  /** Its cluster, for commands in messages. */
  readonly cluster: Pick<Submitted, "master" | "context">;
  /** Whether to log the phase after each interval. @default true */
  readonly reportsPhase?: boolean | undefined;
  /** Whether to log all fields of the pod after each change, and its container statuses at the end. @default true */
  readonly reportsPodState?: boolean | undefined;
  /** Awaited at the driver's end, before the end is logged. */
  readonly drain?: (() => Promise<void>) | undefined;
}

const logger = "LoggingPodStatusWatcherImpl";

/**
 * Waits for the end of a driver and logs its states, as Spark does.
 *
 * Source: Spark LoggingPodStatusWatcherImpl; recorded with Spark 3.5.9 to 4.3.0.
 *
 * @throws the error of `reportIntervalMs`; SUBMIT_ERR_KUBE_WATCH, SUBMIT_ERR_KUBE_FORBIDDEN and other rejections of the watch
 */
export async function watchDriver(call: WatchDriverCall): Promise<DriverEnd> {
  const info = (text: string) => call.log("INFO", logger, text);
  const [name, about] = [quotedLine(call.app.name), aboutApp(call)];
  const { latest, reportsPodState = true } = call;
  if (reportsPodState) logState(call, latest.get());
  const brace = call.traits.strayBraceInWaitingLine ? "}" : "";
  info(`Waiting for application ${name}${brace} ${about} to finish...`);
  const intervalMs = call.reportIntervalMs();
  const done = new AbortController();
  const end = awaitEnd(call).finally(() => done.abort());
  await reportStatus(call, intervalMs, done.signal);
  const result = await end;
  if (result.kind === "unknown") return result;
  if (reportsPodState) {
    // Tools such as Airflow take the last `exit code: N` for the driver's.
    const lastContainer = call.behaviors.finalStatuses === "spark" ? undefined : call.container;
    logLines(call.log, "INFO", logger, printFinalStatuses(result.pod, lastContainer).split("\n"));
  }
  info(`Application ${name} ${about} finished`);
  return result;
}

function aboutApp({ app, latest }: WatchDriverCall): string {
  const { namespace = "", name = "" } = latest.get().metadata ?? {};
  return `with application ID ${quotedLine(app.id)} and submission ID ${quotedLine(`${namespace}:${name}`)}`;
}

function logState({ log }: Pick<WatchDriverCall, "log">, pod: Pod): void {
  logLines(log, "INFO", logger, `State changed, new state: ${printPodState(pod)}`.split("\n"));
}

/** Logs the phase after each interval, and once at the end. */
async function reportStatus(
  { app, clock, log, latest, reportsPhase = true }: WatchDriverCall,
  intervalMs: number,
  done: AbortSignal,
): Promise<void> {
  if (!reportsPhase) return;
  while (!done.aborted) {
    await clock.sleep(intervalMs, { signal: done });
    const phase = latest.get().status?.phase ?? "unknown";
    log("INFO", logger, `Application status for ${app.id} (phase: ${phase})`);
  }
}

/** Follows the states, and the log if there is a `stdout`, until both have ended. */
async function awaitEnd(call: WatchDriverCall): Promise<DriverEnd> {
  const { stdout } = call;
  const client = call.behaviors.watchRetries === "spark" ? call.client : call.client.withoutRetries();
  const log = stdout === undefined ? undefined : followDriverLog({ ...call, client, stdout });
  try {
    const end = await lastChange(call);
    await Promise.all([log?.drain(), call.drain?.()]);
    return end;
  } finally {
    log?.stop();
  }
}

async function lastChange(call: WatchDriverCall): Promise<DriverEnd> {
  const { latest } = call;
  try {
    for await (const { pod, isDeleted } of driverChanges(call)) {
      latest.set(pod);
      if (isDeleted) return { kind: "deleted", pod };
      if (call.reportsPodState !== false) logState(call, pod);
      const end = driverEnd(pod, call.container);
      if (end !== undefined) return end;
    }
    return { kind: "unknown", pod: latest.get() };
  } catch (error) {
    // Its pods end with the embedded cluster.
    if (hasCode(error, "SUBMIT_ERR_CLUSTER_NOT_FOUND")) throw error;
    call.log("WARN", logger, unwatchedDriverText(latest.get(), call.cluster));
    throw error;
  }
}
