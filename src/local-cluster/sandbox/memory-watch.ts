import type { Files, Host } from "../../host/host.ts";
import type { ResourceControl } from "./resource-control.ts";

const checkIntervalMs = 250;

/**
 * Holds containers to their memory without help by the kernel: looks at their processes four times a second and kills
 * those of a container that uses more than it may. Where there is no `/proc`, it sees nothing.
 */
export function memoryWatch(host: Pick<Host, "files" | "clock" | "kill">): ResourceControl {
  const { files, clock } = host;
  return {
    name: "watching",
    confine({ memoryBytes }) {
      let cancel = () => {};
      let isOverLimit = false;
      return {
        enter: (command, args) => [command, ...args],
        onStarted(pid) {
          const limit = memoryBytes;
          if (limit === undefined) return;
          const check = () => {
            isOverLimit = usesMoreThan(files, pid, limit);
            // A group of its own: the container's sandbox ends, and all of the container with it.
            if (isOverLimit) host.kill(-pid, "SIGKILL");
            else cancel = clock.after(checkIntervalMs, check);
          };
          cancel = clock.after(checkIntervalMs, check);
        },
        end() {
          cancel();
          return isOverLimit;
        },
      };
    },
  };
}

// What forked processes share is counted for each of them in the quick look, and once in the slow one.
function usesMoreThan(files: Files, pid: number, limitBytes: number): boolean {
  const pids = [...processTree(files, pid)];
  const sum = (measure: (pid: number) => number) => pids.reduce((total, each) => total + measure(each), 0);
  if (sum((each) => residentBytes(files, each)) <= limitBytes) return false;
  return sum((each) => proportionalBytes(files, each) ?? residentBytes(files, each)) > limitBytes;
}

/** A process and all that it started, by process id. */
function* processTree(files: Files, pid: number): Generator<number> {
  yield pid;
  for (const task of undefinedOnError(() => files.list(`/proc/${pid}/task`)) ?? []) {
    const children = undefinedOnError(() => files.readText(`/proc/${pid}/task/${task}/children`)) ?? "";
    for (const child of children.trim().split(" "))
      if (child !== "") yield* processTree(files, Number(child));
  }
}

/** Memory that no file backs. */
function residentBytes(files: Files, pid: number): number {
  const status = undefinedOnError(() => files.readText(`/proc/${pid}/status`)) ?? "";
  return kilobytes(status, "RssAnon") + kilobytes(status, "RssShmem");
}

function proportionalBytes(files: Files, pid: number): number | undefined {
  const text = undefinedOnError(() => files.readText(`/proc/${pid}/smaps_rollup`)) ?? "";
  if (!text.includes("Pss_Anon:")) return undefined;
  return kilobytes(text, "Pss_Anon") + kilobytes(text, "Pss_Shmem");
}

function kilobytes(text: string, name: string): number {
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(text)?.[1] ?? 0) * 1024;
}

/** A process may end, or be another user's, at any moment. */
function undefinedOnError<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
