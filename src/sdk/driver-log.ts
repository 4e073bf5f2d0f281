import type { Clock, Random } from "../host/host.ts";
import type { Log } from "../host/log.ts";
import type { KubeClient } from "../kube-client/client.ts";
import { printLogs } from "../masters/kubernetes/applications/application-logs.ts";
import { followLogs } from "../masters/kubernetes/applications/follow-logs.ts";
import { driverContainerOf } from "../masters/kubernetes/watch/driver-end.ts";
import { followDriverLog, type LogSink } from "../masters/kubernetes/watch/follow-driver-log.ts";
import type { LatestPod } from "../masters/kubernetes/watch/latest-pod.ts";
import type { LogOptions } from "./application.ts";
import { lineQueue } from "./line-queue.ts";

/** A followed driver, and the means to read its log. */
interface DriverLogCall {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly latest: LatestPod;
  /** Resolves at the driver's end. @throws the API's error if drivers may not be read; the reason of an aborted signal */
  readonly untilEnd: (signal: AbortSignal) => Promise<void>;
  /** Aborts when the application is no longer followed. */
  readonly closed: AbortSignal;
}

/** Reads a log line by line. @throws SubmitError if a part of it is missing; the reason of an aborted signal */
export async function* driverLog(call: DriverLogCall, options: LogOptions): AsyncGenerator<string, void, undefined> {
  const stopped = new AbortController();
  const caller = options.signal === undefined ? [] : [options.signal];
  const signal = AbortSignal.any([call.closed, stopped.signal, ...caller]);
  const { sink, end, lines } = lineQueue();
  const abort = () => end({ error: signal.reason });
  signal.addEventListener("abort", abort, { once: true });
  if (signal.aborted) abort();
  copy(call, { options, sink, signal }).then(
    () => end(),
    (error: unknown) => end({ error }),
  );
  try {
    yield* lines;
  } finally {
    signal.removeEventListener("abort", abort);
    stopped.abort();
  }
}

interface Copy {
  readonly options: LogOptions;
  readonly sink: LogSink;
  readonly signal: AbortSignal;
}

async function copy(call: DriverLogCall, { options, sink, signal }: Copy): Promise<void> {
  const { follow = true, source = "driver", since, tailLines } = options;
  const range = {
    ...(since !== undefined && { sinceTime: since.toISOString().replace(/\.\d+/, "") }),
    ...(tailLines !== undefined && { tailLines }),
  };
  const target = { ...call, driver: call.latest.get(), source, stdout: sink };
  if (!follow) return printLogs(target, { ...range, signal });
  if (source !== "driver") return followLogs({ ...target, range, signal });
  return copyDriverLog(call, { range, sink, signal });
}

/** Copies the log of the driver, whose state the shared watch keeps current. */
async function copyDriverLog(
  call: DriverLogCall,
  { range, sink, signal }: Omit<Copy, "options"> & { readonly range: Parameters<typeof followDriverLog>[0]["range"] },
): Promise<void> {
  const { latest } = call;
  let missing: { readonly error: unknown } | undefined;
  const followed = followDriverLog({
    ...{ ...call, container: driverContainerOf(latest.get()), stdout: sink, signal },
    ...(range !== undefined && { range }),
    onIncomplete(error) {
      missing = { error };
    },
  });
  try {
    await call.untilEnd(signal);
    await followed.drain();
  } finally {
    followed.stop();
  }
  if (missing !== undefined) throw missing.error;
}
