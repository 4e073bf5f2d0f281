import type { Host } from "./host.ts";

/** Whether a process of that number is there, whoever owns it; one that has ended and was not collected yet is not. */
export function isRunning(host: Pick<Host, "kill" | "files">, pid: number): boolean {
  try {
    if (!host.kill(pid, 0)) return false;
  } catch {
    // It belongs to somebody else.
    return true;
  }
  // The state follows the name, which is in parentheses and may hold anything. Elsewhere than on Linux there is no such file.
  const status = host.files.readText(`/proc/${pid}/stat`) ?? "";
  return status.slice(status.lastIndexOf(")") + 2, status.lastIndexOf(")") + 3) !== "Z";
}
