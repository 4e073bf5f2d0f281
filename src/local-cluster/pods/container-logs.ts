import type { Host } from "../../host/host.ts";
import type { PodLogRequest, PodLogResult } from "../api/pod-logs.ts";
import { type LogWriter, logWriter } from "./container-log.ts";
import { type LogSegments, logSegments } from "./log-segments.ts";
import { type ContainerRuntimeState, shownState } from "./pod-runtime-state.ts";
import { type LogFile, readLog } from "./read-log.ts";

/** Logs of a pod's containers: of each container, the current run and the previous one. */
export interface ContainerLogs {
  /** Starts the log of a new run. */
  readonly startRun: (container: string) => LogWriter;
  /** Removes the log of a run that was not created. */
  readonly cancel: (container: string) => void;
  readonly read: (request: PodLogRequest, container: ContainerRuntimeState) => PodLogResult;
  /** Returns the end of a container's log, for a message about its failure. */
  readonly tail: (container: string, sizeBytes: number) => string;
}

interface Run {
  readonly file: LogFile;
  readonly segments: LogSegments;
}

/** Maximum number of log lines in a termination message. */
const tailLines = 80;

/** Manages the logs of one pod as files in a directory. */
export function containerLogs(host: Pick<Host, "files" | "clock">, directory: string): ContainerLogs {
  const runs = new Map<string, readonly Run[]>();
  let count = 0;
  for (const { container, number, path } of earlierLogs(host.files, directory)) {
    count = Math.max(count, number);
    const segments = logSegments(host.files, path);
    runs.set(container, [...(runs.get(container) ?? []), { file: endedFile(segments), segments }]);
  }
  return {
    startRun(container) {
      count += 1;
      const segments = logSegments(host.files, `${directory}/${container}-${count}.log`);
      const { file, written, close } = growingFile(segments);
      const kept = [...(runs.get(container) ?? []), { file, segments }];
      for (const dropped of kept.splice(0, Math.max(0, kept.length - 2))) dropped.segments.remove();
      runs.set(container, kept);
      const writer = logWriter(segments, host.clock.now, written);
      return {
        write: writer.write,
        end() {
          writer.end();
          close();
        },
      };
    },
    cancel(container) {
      const [newest, ...older] = [...(runs.get(container) ?? [])].reverse();
      newest?.segments.remove();
      runs.set(container, older.reverse());
    },
    read(request, runtime) {
      const selected = selectRun(request, runtime, runs.get(runtime.name) ?? []);
      return "file" in selected ? { chunks: readLog(selected.file, request) } : selected;
    },
    tail(container, sizeBytes) {
      const segments = runs.get(container)?.at(-1)?.segments;
      const last = segments?.parts().at(-1);
      if (segments === undefined || last === undefined) return "";
      // Read more than requested, because each line has a prefix; the complete log may exceed memory.
      const tailBytes = Math.min(last.sizeBytes, sizeBytes * 64);
      const { bytes } = segments.read(last.start + last.sizeBytes - tailBytes, tailBytes);
      const lines = Buffer.from(bytes).toString("utf8").split("\n");
      return lines
        .slice(-1 - tailLines)
        .map((line, index, { length }) => {
          const [prefix = "", tag] = /^\S+ \S+ ([FP]) /.exec(line) ?? [];
          const isEnded = tag !== "P" && index < length - 1;
          return line.slice(prefix.length) + (isEnded ? "\n" : "");
        })
        .join("")
        .slice(-sizeBytes);
    },
  };
}

/** Lists the logs that an earlier node left, oldest first. */
function earlierLogs(files: Host["files"], directory: string) {
  const logs = new Map<string, { container: string; number: number; path: string }>();
  for (const name of files.list(directory) ?? []) {
    const [, log, container, number] = /^((.+)-(\d+)\.log)(?:\.\d+)?$/.exec(name) ?? [];
    if (log === undefined || container === undefined) continue;
    logs.set(log, { container, number: Number(number), path: `${directory}/${log}` });
  }
  return [...logs.values()].sort((a, b) => a.number - b.number);
}

function endedFile(segments: LogSegments): LogFile {
  return { segments, isOpen: () => false, changed: async () => {} };
}

/** Selects the requested run, or returns the kubelet's error when there is none. */
function selectRun(
  { previous, pod }: PodLogRequest,
  { name, state, last }: ContainerRuntimeState,
  runs: readonly Run[],
): Run | { readonly status: number; readonly message: string } {
  const badRequest = (message: string) => ({ status: 400, message });
  const shown = shownState(state);
  const isRestarting = shown.is === "waiting";
  if (previous) {
    const run = last === undefined ? undefined : runs.at(isRestarting ? -1 : -2);
    return run ?? badRequest(`previous terminated container "${name}" in pod "${pod}" not found`);
  }
  const newest = runs.at(-1);
  if (newest !== undefined) return newest;
  if (shown.is !== "waiting") return badRequest(`container "${name}" in pod "${pod}" is terminated`);
  return badRequest(`container "${name}" in pod "${pod}" is waiting to start: ${describeWaitingReason(shown.reason)}`);
}

function describeWaitingReason(reason: string): string {
  if (reason === "ErrImagePull") return "image can't be pulled";
  return reason === "ImagePullBackOff" ? "trying and failing to pull image" : reason;
}

function growingFile(segments: LogSegments) {
  let isOpen = true;
  let waiting: (() => void)[] = [];
  const wake = () => {
    const woken = waiting;
    waiting = [];
    for (const notify of woken) notify();
  };
  const file: LogFile = {
    segments,
    isOpen: () => isOpen,
    changed: (signal) =>
      new Promise((resolve) => {
        if (signal.aborted) return resolve();
        const done = () => {
          signal.removeEventListener("abort", done);
          resolve();
        };
        waiting.push(done);
        signal.addEventListener("abort", done, { once: true });
      }),
  };
  return {
    file,
    written: wake,
    close() {
      isOpen = false;
      wake();
    },
  };
}
