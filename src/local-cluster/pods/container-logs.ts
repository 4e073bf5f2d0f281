import type { Host } from "../../host/host.ts";
import type { PodLogAnswer, PodLogRequest } from "../api/pod-logs.ts";
import { type LogWriter, logWriter } from "./container-log.ts";
import { type ContainerLife, shownState } from "./pod-life.ts";
import { type LogFile, readLog } from "./read-log.ts";

/** The logs of a pod's containers: of each the run that counts and the one before. */
export interface ContainerLogs {
  /** A new run begins. */
  readonly begin: (container: string) => LogWriter;
  /** The run that began did not come to be. */
  readonly cancel: (container: string) => void;
  readonly read: (request: PodLogRequest, container: ContainerLife) => PodLogAnswer;
  /** The end of a container's log, for a message about its failure. */
  readonly tail: (container: string, sizeBytes: number) => string;
}

interface Run {
  readonly file: LogFile;
  readonly path: string;
}

/** Of a log that stands for a message. */
const tailLines = 80;

/** The logs of one pod, as files in a folder. */
export function containerLogs(host: Pick<Host, "files" | "clock">, directory: string): ContainerLogs {
  const runs = new Map<string, readonly Run[]>();
  let count = 0;
  for (const { container, number, path } of earlierLogs(host.files, directory)) {
    count = Math.max(count, number);
    runs.set(container, [...(runs.get(container) ?? []), { file: endedFile(host.files, path), path }]);
  }
  return {
    begin(container) {
      count += 1;
      const path = `${directory}/${container}-${count}.log`;
      const { file, written, close } = growingFile(host.files, path);
      const kept = [...(runs.get(container) ?? []), { file, path }];
      for (const dropped of kept.splice(0, Math.max(0, kept.length - 2))) host.files.remove(dropped.path);
      runs.set(container, kept);
      const writer = logWriter({ files: host.files, now: host.clock.now }, path, written);
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
      if (newest !== undefined) host.files.remove(newest.path);
      runs.set(container, older.reverse());
    },
    read(request, life) {
      const answer = choose(request, life, runs.get(life.name) ?? []);
      return "file" in answer ? { chunks: readLog(answer.file, request) } : answer;
    },
    tail(container, sizeBytes) {
      const path = runs.get(container)?.at(-1)?.path;
      const size = path === undefined ? undefined : host.files.info(path)?.sizeBytes;
      if (path === undefined || size === undefined) return "";
      // With room for what stands before each line; the whole log may be more than memory holds.
      const wanted = Math.min(size, sizeBytes * 64);
      const lines = Buffer.from(host.files.readRange(path, size - wanted, wanted) ?? "")
        .toString("utf8")
        .split("\n");
      return lines
        .slice(-1 - tailLines)
        .map((line) => line.replace(/^\S+ \S+ [FP] /, ""))
        .join("\n")
        .slice(-sizeBytes);
    },
  };
}

/** The logs that an earlier node left, older ones first. */
function earlierLogs(files: Host["files"], directory: string) {
  const logs = (files.list(directory) ?? []).flatMap((name) => {
    const [, container, number] = /^(.+)-(\d+)\.log$/.exec(name) ?? [];
    return container === undefined
      ? []
      : [{ container, number: Number(number), path: `${directory}/${name}` }];
  });
  return logs.sort((a, b) => a.number - b.number);
}

function endedFile(files: Host["files"], path: string): LogFile {
  return { files, path, isOpen: () => false, changed: async () => {} };
}

/** Which run is meant, or why there is none, in the kubelet's words. */
function choose(
  { previous, pod }: PodLogRequest,
  { name, state, last }: ContainerLife,
  runs: readonly Run[],
): Run | { readonly status: number; readonly message: string } {
  const refuse = (message: string) => ({ status: 400, message });
  const shown = shownState(state);
  const isAnew = shown.is === "waiting";
  if (previous) {
    const run = last === undefined ? undefined : runs.at(isAnew ? -1 : -2);
    return run ?? refuse(`previous terminated container "${name}" in pod "${pod}" not found`);
  }
  const newest = runs.at(-1);
  if (newest !== undefined) return newest;
  if (shown.is !== "waiting") return refuse(`container "${name}" in pod "${pod}" is terminated`);
  return refuse(`container "${name}" in pod "${pod}" is waiting to start: ${whatFor(shown.reason)}`);
}

function whatFor(reason: string): string {
  if (reason === "ErrImagePull") return "image can't be pulled";
  return reason === "ImagePullBackOff" ? "trying and failing to pull image" : reason;
}

function growingFile(files: Host["files"], path: string) {
  let isOpen = true;
  let waiting: (() => void)[] = [];
  const wake = () => {
    const woken = waiting;
    waiting = [];
    for (const tell of woken) tell();
  };
  const file: LogFile = {
    files,
    path,
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
