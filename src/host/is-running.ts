import type { Host } from "./host.ts";

/** Returns whether a process with this ID is running, for any owner. A zombie is not running. */
export function isRunning(host: Pick<Host, "kill" | "files">, pid: number): boolean {
  try {
    if (!host.kill(pid, 0)) return false;
  } catch {
    // The process belongs to another user.
    return true;
  }
  // The state follows the name, which is in parentheses and may hold any character. The file exists only on Linux.
  const status = host.files.readText(`/proc/${pid}/stat`) ?? "";
  return status.slice(status.lastIndexOf(")") + 2, status.lastIndexOf(")") + 3) !== "Z";
}
