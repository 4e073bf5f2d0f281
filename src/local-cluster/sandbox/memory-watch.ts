import type { Files, Host } from "../../host/host.ts";
import type { ResourceControl } from "./resource-bounds.ts";

const checkIntervalMs = 250;

/**
 * Enforces memory limits without kernel support: checks each container's processes four times a second and kills a
 * container that exceeds its limit. Without `/proc`, it has no effect.
 */
export function memoryWatch(host: Pick<Host, "files" | "clock" | "kill">): ResourceControl {
  const { files, clock } = host;
  return {
    confine({ memoryBytes }) {
      let cancel = () => {};
      let exceedsLimit = false;
      return {
        enter: (command, args) => [command, ...args],
        onStarted(pid) {
          const limit = memoryBytes;
          if (limit === undefined) return;
          const check = () => {
            exceedsLimit = usesMoreThan(files, pid, limit);
            // The container has its own process group, so this ends its sandbox and all of its processes.
            if (exceedsLimit) host.kill(-pid, "SIGKILL");
            else cancel = clock.after(checkIntervalMs, check);
          };
          cancel = clock.after(checkIntervalMs, check);
        },
        end() {
          cancel();
          return exceedsLimit;
        },
      };
    },
  };
}

// The fast check counts memory that forked processes share once per process; the slow check counts it once.
function usesMoreThan(files: Files, pid: number, limitBytes: number): boolean {
  const pids = [...processTree(files, pid)];
  const sum = (measure: (pid: number) => number) => pids.reduce((total, each) => total + measure(each), 0);
  if (sum((each) => residentBytes(files, each)) <= limitBytes) return false;
  return sum((each) => proportionalBytes(files, each) ?? residentBytes(files, each)) > limitBytes;
}

/** Yields the IDs of a process and all of its descendants. */
function* processTree(files: Files, pid: number): Generator<number> {
  yield pid;
  for (const task of undefinedOnError(() => files.list(`/proc/${pid}/task`)) ?? []) {
    const children = undefinedOnError(() => files.readText(`/proc/${pid}/task/${task}/children`)) ?? "";
    for (const child of children.trim().split(" ")) if (child !== "") yield* processTree(files, Number(child));
  }
}

/** Returns memory that is not backed by a file. */
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

/** Returns `undefined` on an error: a process may end, or belong to another user, at any moment. */
function undefinedOnError<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
