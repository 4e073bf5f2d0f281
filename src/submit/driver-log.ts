import { isSubmitError } from "../errors/submit-error.ts";
import type { Clock, Random, TextSink } from "../host/host.ts";
import type { Log } from "../host/log.ts";
import { statusOf } from "../kube/status.ts";
import type { Pod } from "../kube/types.ts";
import { backoff } from "../kube-client/backoff.ts";
import type { KubeClient } from "../kube-client/client.ts";
import { lines } from "../kube-client/lines.ts";
import { driverStatus } from "./driver-end.ts";
import type { LatestPod } from "./latest-pod.ts";
import { type LogPosition, logPosition } from "./log-position.ts";

/** Whose log is followed, and where it goes. */
export interface DriverLogCall {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly container: string;
  /** Tells when the container begins and ends; somebody else keeps it current. */
  readonly latest: LatestPod;
  readonly stdout: TextSink;
  readonly signal: AbortSignal;
}

const logger = "LoggingPodStatusWatcherImpl";

/**
 * Copies the log of the driver's container to stdout until the container has ended, through reconnects: no line is lost
 * and none comes twice. A log that may not be read is told once, and does not stop the submission.
 */
export async function followDriverLog(call: DriverLogCall): Promise<void> {
  const { container, latest, signal } = call;
  const wait = backoff(call.clock, call.random).wait;
  const position = logPosition();
  const started = await latest.until((pod) => hasStarted(pod, container) || isOver(pod, container), signal);
  if (started === undefined) return;
  while (!signal.aborted) {
    // A log read after the end of its container is whole; before that, its end may have been a broken connection.
    const isLast = isOver(latest.get(), container);
    try {
      await copyLog(call, position, isLast);
      if (isLast) return;
    } catch (error) {
      if (signal.aborted || isFinal(call, error, isLast)) return;
    }
    await pause(call, wait, isLast);
  }
}

/** Copies what is new of the log until the API ends its answer. */
async function copyLog(call: DriverLogCall, position: LogPosition, isLast: boolean): Promise<void> {
  const { client, container, latest, stdout, signal } = call;
  const { namespace = "", name = "" } = latest.get().metadata ?? {};
  const sinceTime = position.restart();
  const chunks = client.logs({
    namespace,
    pod: name,
    container,
    follow: true,
    timestamps: true,
    ...(sinceTime === undefined ? {} : { sinceTime }),
    signal,
  });
  for await (const { text, ended } of lines(chunks)) {
    // A piece of a line comes again as a whole, unless nothing comes after it.
    if (!ended && !isLast) return;
    const fresh = position.accept(text);
    if (fresh !== undefined) stdout.write(ended ? `${fresh}\n` : fresh);
  }
}

/** Whether no further attempt makes sense; says so where the user can do something about it. */
function isFinal({ log }: DriverLogCall, error: unknown, isLast: boolean): boolean {
  if (!isSubmitError(error)) throw error;
  if (error.code === "SUBMIT_ERR_KUBE_NOT_FOUND") return true;
  if (error.code === "SUBMIT_ERR_KUBE_FORBIDDEN") {
    const [{ message, hint = "" }] = error.issues;
    log("WARN", logger, `The driver's log cannot be followed: ${message} ${hint}`.trimEnd());
    return true;
  }
  // The node may have thrown the log away by now.
  const status = statusOf(error)?.code ?? 0;
  return isLast && status >= 400 && status < 500 && status !== 429;
}

/** Waits a while, but not longer than until the container ends: then its whole log can be read. */
async function pause(
  { container, latest, signal }: DriverLogCall,
  wait: (signal: AbortSignal) => Promise<void>,
  isLast: boolean,
): Promise<void> {
  if (isLast) return wait(signal);
  const both = new AbortController();
  const either = AbortSignal.any([signal, both.signal]);
  await Promise.race([wait(either), latest.until((pod) => isOver(pod, container), either)]);
  both.abort();
}

function hasStarted(pod: Pod, container: string): boolean {
  const { running, terminated } = driverStatus(pod.status?.containerStatuses ?? [], container)?.state ?? {};
  return running !== undefined || terminated !== undefined;
}

function isOver(pod: Pod, container: string): boolean {
  const { phase, containerStatuses = [] } = pod.status ?? {};
  if (phase === "Succeeded" || phase === "Failed") return true;
  return driverStatus(containerStatuses, container)?.state?.terminated !== undefined;
}
