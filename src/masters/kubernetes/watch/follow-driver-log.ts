import { isSubmitError } from "../../../errors/submit-error.ts";
import type { TextSink } from "../../../host/host.ts";
import { isFinalPhase } from "../../../kube/pod-phase.ts";
import { statusOf } from "../../../kube/status.ts";
import type { Pod } from "../../../kube/types.ts";
import type { LogCall } from "../../../kube-client/call.ts";
import { backoff } from "../../../net/backoff.ts";
import { driverStatus, hasStarted } from "./driver-end.ts";
import { fetchLog } from "./fetch-log.ts";
import type { WatchedPod } from "./latest-pod.ts";
import { type LogPosition, logPosition } from "./log-position.ts";

/** Pod whose log is copied, and the target. */
interface DriverLogCall extends WatchedPod {
  /** Owner of the log, for warnings. @default "driver's" */
  readonly whose?: string | undefined;
  readonly stdout: LogSink;
  /** Part of the log that is copied. @default all */
  readonly range?: DriverLogRange;
  /** Called if a part of the log is missing, after its warning. @default not reported */
  readonly onIncomplete?: (error: unknown) => void;
}

/** Target of a copy of a log. */
export interface LogSink extends TextSink {
  /** Returns a promise for the time from which further lines are accepted; `undefined` for now. @default all lines are accepted */
  readonly ready?: () => Promise<void> | undefined;
}

/** Beginning of a copy of a log: a time (RFC 3339), a number of last lines, or both. */
export type DriverLogRange = Pick<LogCall, "sinceTime" | "tailLines">;

/** A log that is being copied to stdout. */
export interface DriverLog {
  /** Waits for the rest of the log while more of it arrives. Call it after the driver's end. */
  readonly drain: () => Promise<void>;
  /** Stops copying immediately. */
  readonly stop: () => void;
}

const logger = "LoggingPodStatusWatcherImpl";

/**
 * Copies the log of the driver's container to stdout until the container has ended. Reconnects without losing or
 * repeating a line. Logs a warning for a log that is incomplete or that the account must not read.
 */
export function followDriverLog(call: DriverLogCall): DriverLog {
  const ended = new AbortController();
  const stopped = new AbortController();
  const signal = AbortSignal.any([call.signal, stopped.signal]);
  const done = follow({ ...call, signal, ended: ended.signal });
  // `drain` throws the failure again; until then it must not end the process.
  done.catch(() => {});
  return {
    drain() {
      ended.abort();
      return done;
    },
    stop: () => stopped.abort(),
  };
}

interface LogFollower extends DriverLogCall {
  /** Aborts at the driver's end, even if the pod does not show it. */
  readonly ended: AbortSignal;
  readonly position: LogPosition;
  /** Waits before the next attempt; replaced after each written line. */
  wait: (signal: AbortSignal) => Promise<void>;
  /** Start of the attempts after the end that brought nothing new (monotonic ms). */
  idleSince: number | undefined;
  /** Whether the last attempt failed, or there was none. */
  isInterrupted: boolean;
}

/** Maximum time without a new line after the container's end. */
const timeoutMs = 30_000;

async function follow(call: DriverLogCall & { readonly ended: AbortSignal }): Promise<void> {
  const { clock, random, container, latest, ended, signal } = call;
  const either = AbortSignal.any([signal, ended]);
  const pod = await latest.until((now) => hasStarted(now, container), either);
  // A driver whose init container failed has no log.
  if (pod === undefined || hasNeverRun(pod, container)) return;
  const wait = backoff(clock, random).wait;
  const position = logPosition();
  const follower: LogFollower = { ...call, position, wait, idleSince: undefined, isInterrupted: true };
  while (!signal.aborted) {
    // Only a request after the container's end returns the complete log: an earlier end may be a broken connection.
    const isLast = ended.aborted || isTerminated(latest.get(), container);
    if (isLast) follower.idleSince ??= clock.monotonic();
    if (await readOnce(follower, isLast)) return;
    await waitForRetry(follower, isLast);
  }
}

/** Performs one request. Returns whether the log is done. */
async function readOnce(follower: LogFollower, isLast: boolean): Promise<boolean> {
  try {
    await fetchLog({ ...follower, write: (line) => onLine(follower, line), isLast });
    follower.isInterrupted = false;
    return isLast;
  } catch (error) {
    if (follower.signal.aborted) return true;
    const { stops, warning } = decideRetry(error, follower, isLast);
    if (warning !== undefined) {
      follower.log("WARN", logger, warning);
      follower.onIncomplete?.(error);
    }
    follower.isInterrupted = true;
    return stops;
  }
}

function onLine(follower: LogFollower, line: Uint8Array): Promise<void> | undefined {
  follower.stdout.write(line);
  follower.wait = backoff(follower.clock, follower.random).wait;
  follower.idleSince = undefined;
  return follower.stdout.ready?.();
}

/** Decides whether to stop the attempts, and the warning for the user. @throws the error if it is not from the API */
function decideRetry(error: unknown, follower: LogFollower, isLast: boolean): { stops: boolean; warning?: string } {
  if (!isSubmitError(error)) throw error;
  const { clock, idleSince, isInterrupted, whose = "driver's" } = follower;
  const [{ message, hint = "" }] = error.issues;
  const status = statusOf(error)?.code ?? 0;
  if (status === 403) {
    return { stops: true, warning: `The ${whose} log cannot be followed: ${message} ${hint}`.trimEnd() };
  }
  const warning = `The ${whose} log is incomplete: ${message}`;
  // The pod does not exist any more, or its node has deleted the log.
  const isLost = status === 404 || (isLast && status >= 400 && status < 500 && status !== 429);
  if (isLost) return { stops: true, ...(isInterrupted && { warning }) };
  const idleMs = idleSince === undefined ? 0 : clock.monotonic() - idleSince;
  return idleMs > timeoutMs ? { stops: true, warning } : { stops: false };
}

/** Waits for the backoff, or until the container ends: from then on its complete log can be read. */
async function waitForRetry({ container, latest, ended, signal, wait }: LogFollower, isLast: boolean): Promise<void> {
  if (isLast) return wait(signal);
  const done = new AbortController();
  const either = AbortSignal.any([signal, ended, done.signal]);
  await Promise.race([wait(either), latest.until((pod) => isTerminated(pod, container), either)]);
  done.abort();
}

function hasNeverRun(pod: Pod, container: string): boolean {
  const { state, lastState } = driverStatus(pod, container) ?? {};
  const isWaiting = state?.waiting !== undefined && lastState?.terminated === undefined;
  return pod.status?.phase === "Failed" && isWaiting;
}

function isTerminated(pod: Pod, container: string): boolean {
  return isFinalPhase(pod.status?.phase) || driverStatus(pod, container)?.state?.terminated !== undefined;
}
