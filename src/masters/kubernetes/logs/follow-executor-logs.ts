import { visibleLine } from "../../../host/visible-text.ts";
import { isFinalPhase } from "../../../kube/pod-phase.ts";
import type { Pod } from "../../../kube/types.ts";
import { executorIdLabel } from "../../../plan/labels.ts";
import { defaultExecutorContainer } from "../../../plan/names.ts";
import type { TrackedObject } from "../diagnose/informer.ts";
import type { Observer } from "../diagnose/observer.ts";
import { type DriverLog, type DriverLogRange, followDriverLog, type LogSink } from "../watch/follow-driver-log.ts";
import { type LatestPod, latestPod, type WatchedPod } from "../watch/latest-pod.ts";

interface FollowedExecutors extends Omit<WatchedPod, "latest" | "container"> {
  readonly observer: Pick<Observer, "executors" | "onChange">;
  /** Part of each log that is copied. @default all */
  readonly range?: DriverLogRange;
}

interface ExecutorLogsCall extends FollowedExecutors {
  /** Receives each line with the executor's ID as a prefix. */
  readonly stdout: LogSink;
}

interface ExecutorSinksCall extends FollowedExecutors {
  /** Returns the target of an executor's log. */
  readonly sinkOf: (executor: Pod) => LogSink;
  /** Limit of logs that are copied at once. */
  readonly maxStreams: number;
  /** Called if a part of an executor's log is missing. @default not reported */
  readonly onIncompleteLog?: (executor: Pod, error: unknown) => void;
  /** Maximum wait for the rest of the logs after the driver's end. */
  readonly drainTimeoutMs: number;
}

const newline = Buffer.from("\n");
const maxStreams = 16;
const drainTimeoutMs = 5000;
const logger = "LoggingPodStatusWatcherImpl";

/** Log of one executor that is being copied. */
interface Stream {
  readonly latest: LatestPod;
  readonly log: DriverLog;
  hasEnded: boolean;
}

interface ExecutorLogsState {
  readonly call: ExecutorSinksCall;
  /** By UID of the executor's pod. */
  readonly streams: Map<string, Stream>;
  /** UIDs of executors beyond the limit. */
  readonly skipped: Set<string>;
}

/** Copies the logs of at most 16 running executors at once to stdout. */
export function followExecutorLogs(call: ExecutorLogsCall): DriverLog {
  const sinkOf = (pod: Pod) => withExecutorPrefix(call.stdout, executorId(pod));
  return followExecutors({ ...call, sinkOf, maxStreams, drainTimeoutMs });
}

/** Copies the logs of running executors, each to its target. */
export function followExecutors(call: ExecutorSinksCall): DriverLog {
  const { observer, clock } = call;
  const state: ExecutorLogsState = { call, streams: new Map(), skipped: new Set() };
  const update = () => {
    for (const executor of observer.executors()) onExecutor(state, executor);
  };
  const removeListener = observer.onChange(update);
  update();
  return {
    async drain() {
      const done = new AbortController();
      const drained = Promise.all([...state.streams.values()].map(({ log }) => log.drain().catch(() => {})));
      await Promise.race([drained, clock.sleep(call.drainTimeoutMs, { signal: done.signal })]);
      done.abort();
    },
    stop() {
      removeListener();
      for (const { log } of state.streams.values()) log.stop();
    },
  };
}

function onExecutor(state: ExecutorLogsState, { object, isDeleted }: TrackedObject<Pod>): void {
  const { call, streams, skipped } = state;
  const uid = object.metadata?.uid ?? "";
  const stream = streams.get(uid);
  if (stream !== undefined) updateStream(stream, object, isDeleted);
  if (stream !== undefined || isDeleted || skipped.has(uid)) return;
  const active = [...streams.values()].filter(({ hasEnded }) => !hasEnded).length;
  if (active < call.maxStreams) streams.set(uid, startStream(call, object));
  else {
    const text = `Showing the logs of at most ${call.maxStreams} executors at once; other executors are skipped.`;
    if (skipped.size === 0) call.log("WARN", logger, text);
    skipped.add(uid);
  }
}

function updateStream(stream: Stream, pod: Pod, isDeleted: boolean): void {
  if (stream.hasEnded) return;
  stream.latest.set(pod);
  stream.hasEnded = isDeleted || isFinalPhase(pod.status?.phase);
  if (stream.hasEnded) void stream.log.drain().catch(() => {});
}

function startStream(call: ExecutorSinksCall, pod: Pod): Stream {
  const latest = latestPod(pod);
  const id = executorId(pod);
  const log = followDriverLog({
    ...call,
    ...{ latest, container: executorContainerOf(pod), whose: `executor ${id}'s` },
    stdout: call.sinkOf(pod),
    onIncomplete: (error) => call.onIncompleteLog?.(pod, error),
  });
  return { latest, log, hasEnded: false };
}

/** Returns the ID of an executor, e.g. `1`. */
export function executorId({ metadata }: Pod): string {
  return metadata?.labels?.[executorIdLabel] ?? metadata?.name ?? "";
}

/** Returns the name of an executor's container: the one with Spark's default name, otherwise the last. */
export function executorContainerOf({ spec }: Pod): string {
  const names = (spec?.containers ?? []).map(({ name }) => name);
  return names.includes(defaultExecutorContainer) ? defaultExecutorContainer : (names.at(-1) ?? "");
}

/** Prefixes each write, which is one line, with the executor. Ends an unfinished line, because lines of other executors follow. */
export function withExecutorPrefix(stdout: LogSink, id: string): LogSink {
  const head = Buffer.from(visibleLine(`[executor ${id}] `));
  return {
    ...stdout,
    write(text) {
      const line = Buffer.from(text);
      stdout.write(Buffer.concat([head, line, ...(line.at(-1) === newline[0] ? [] : [newline])]));
    },
  };
}
