import { isSubmitError } from "../../../errors/submit-error.ts";
import { backoff } from "../../../host/backoff.ts";
import type { Clock, Random, TextSink } from "../../../host/host.ts";
import type { Log } from "../../../host/log.ts";
import { isFinalPhase } from "../../../kube/pod-phase.ts";
import { statusOf } from "../../../kube/status.ts";
import type { Pod } from "../../../kube/types.ts";
import type { KubeClient } from "../../../kube-client/client.ts";
import { driverStatus, hasStarted } from "./driver-end.ts";
import { fetchLog } from "./fetch-log.ts";
import type { LatestPod } from "./latest-pod.ts";
import { logPosition } from "./log-position.ts";

/** Whose log is followed, and where it goes. */
export interface DriverLogCall {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly container: string;
  /** In warnings. @default "driver's" */
  readonly whose?: string | undefined;
  /** Tells when the container begins and ends; somebody else keeps it current. */
  readonly latest: LatestPod;
  readonly stdout: TextSink;
  readonly signal: AbortSignal;
}

/** A driver's log on its way to stdout. */
export interface DriverLog {
  /** To be called at the driver's end: waits for what is missing, as long as more of it comes. */
  readonly drain: () => Promise<void>;
  /** Leaves the log where it is. */
  readonly stop: () => void;
}

const logger = "LoggingPodStatusWatcherImpl";

/**
 * Copies the log of the driver's container to stdout until the container has ended, through reconnects: no line is lost
 * and none comes twice. A log that may not be read, or whose rest does not come, is told of and stops nothing.
 */
export function followDriverLog(call: DriverLogCall): DriverLog {
  const ended = new AbortController();
  const stopped = new AbortController();
  const signal = AbortSignal.any([call.signal, stopped.signal]);
  const done = follow({ ...call, signal, ended: ended.signal });
  // A failure of it is told when the driver has ended.
  done.catch(() => {});
  return {
    drain() {
      ended.abort();
      return done;
    },
    stop: () => stopped.abort(),
  };
}

interface Following extends DriverLogCall {
  /** Aborts at the driver's end, even where its pod does not tell. */
  readonly ended: AbortSignal;
}

/** How long attempts at the rest of a log may bring nothing new. */
const timeoutMs = 30_000;

async function follow(call: Following): Promise<void> {
  const { client, clock, random, container, latest, ended, signal } = call;
  const pod = await latest.until((now) => hasStarted(now, container), AbortSignal.any([signal, ended]));
  // A driver that an init container kept from starting has no log.
  if (pod === undefined || hasNeverRun(pod, container)) return;
  const { namespace = "", name = "" } = pod.metadata ?? {};
  const position = logPosition();
  let wait = backoff(clock, random).wait;
  let quietSince: number | undefined;
  const write = (text: string) => {
    call.stdout.write(text);
    wait = backoff(clock, random).wait;
    quietSince = undefined;
  };
  const reading = { client, clock, namespace, pod: name, container, position, write, ended, signal };
  for (let isCutOff = true; !signal.aborted; ) {
    // A log read after the end of its container is whole; before that, its end may have been a broken connection.
    const isLast = ended.aborted || isOver(latest.get(), container);
    if (isLast) quietSince ??= clock.monotonic();
    try {
      await fetchLog({ ...reading, isLast });
      if (isLast) return;
      isCutOff = false;
    } catch (error) {
      if (signal.aborted) return;
      const quietMs = quietSince === undefined ? 0 : clock.monotonic() - quietSince;
      const { stops, warning } = judge(error, { isLast, isCutOff, quietMs, whose: call.whose ?? "driver's" });
      if (warning !== undefined) call.log("WARN", logger, warning);
      if (stops) return;
      isCutOff = true;
    }
    await pause(call, wait, isLast);
  }
}

/** Whether no further attempt makes sense, and what the user should know then. */
interface Verdict {
  readonly stops: boolean;
  readonly warning?: string;
}

interface Circumstances {
  readonly isLast: boolean;
  /** The attempt before this one broke off, too, or there was none. */
  readonly isCutOff: boolean;
  readonly quietMs: number;
  readonly whose: string;
}

function judge(error: unknown, { isLast, isCutOff, quietMs, whose }: Circumstances): Verdict {
  if (!isSubmitError(error)) throw error;
  const [{ message, hint = "" }] = error.issues;
  const status = statusOf(error)?.code ?? 0;
  if (status === 403) {
    return { stops: true, warning: `The ${whose} log cannot be followed: ${message} ${hint}`.trimEnd() };
  }
  const warning = `The ${whose} log is incomplete: ${message}`;
  // The pod is gone, or its node has thrown the log away.
  const isLost = status === 404 || (isLast && status >= 400 && status < 500 && status !== 429);
  if (isLost) return { stops: true, ...(isCutOff && { warning }) };
  return quietMs > timeoutMs ? { stops: true, warning } : { stops: false };
}

/** Waits a while, but not longer than until the container ends: then its whole log can be read. */
async function pause(
  { container, latest, ended, signal }: Following,
  wait: (signal: AbortSignal) => Promise<void>,
  isLast: boolean,
): Promise<void> {
  if (isLast) return wait(signal);
  const both = new AbortController();
  const either = AbortSignal.any([signal, ended, both.signal]);
  await Promise.race([wait(either), latest.until((pod) => isOver(pod, container), either)]);
  both.abort();
}

function hasNeverRun({ status }: Pod, container: string): boolean {
  const { state, lastState } = driverStatus(status?.containerStatuses ?? [], container) ?? {};
  const isWaiting = state?.waiting !== undefined && lastState?.terminated === undefined;
  return status?.phase === "Failed" && isWaiting;
}

function isOver(pod: Pod, container: string): boolean {
  const { phase, containerStatuses = [] } = pod.status ?? {};
  if (isFinalPhase(phase)) return true;
  return driverStatus(containerStatuses, container)?.state?.terminated !== undefined;
}
