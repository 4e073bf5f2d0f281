import { submitError } from "../errors/submit-error.ts";
import type { Host } from "../host/host.ts";
import { isRunning } from "../host/is-running.ts";
import { clusterPaths } from "./cluster-record.ts";

/** The process that runs, or is starting, a cluster; `undefined` when there is none. */
export function lockHolder(host: Host, name: string): number | undefined {
  const pid = Number(host.files.readLink(clusterPaths(host, name).lock) ?? Number.NaN);
  return Number.isInteger(pid) && isRunning(host, pid) && isServing(host, pid) ? pid : undefined;
}

/** Numbers of processes are used again: only one that was started to serve a cluster counts, where that can be told. */
function isServing(host: Host, pid: number): boolean {
  const words = host.files.readText(`/proc/${pid}/cmdline`)?.split("\0");
  return words === undefined || (words.includes("cluster") && words.includes("serve"));
}

/** Makes this process the only one that may run a cluster. @throws SubmitError `SUBMIT_ERR_CLUSTER_IN_USE` */
export function takeLock(host: Host, name: string): void {
  const { lock } = clusterPaths(host, name);
  const left = host.files.readLink(lock);
  const holder = lockHolder(host, name);
  if (holder !== undefined) throw submitError("SUBMIT_ERR_CLUSTER_IN_USE", { name, pid: holder });
  if (left !== undefined) removeLeftLock(host, lock, left);
  try {
    // Making a link either succeeds or tells that somebody else was first.
    host.files.link(String(host.pid), lock);
  } catch (cause) {
    const pid = lockHolder(host, name) ?? 0;
    throw submitError("SUBMIT_ERR_CLUSTER_IN_USE", { name, pid }, { cause });
  }
}

/** Removes the lock of a process that is gone, and no other: somebody may have taken it since we looked. */
function removeLeftLock({ files, pid }: Host, lock: string, left: string): void {
  const withoutRetries = `${lock}.${pid}`;
  try {
    files.rename(lock, withoutRetries);
  } catch {
    // Somebody else removed it.
    return;
  }
  if (files.readLink(withoutRetries) === left) files.remove(withoutRetries);
  else files.rename(withoutRetries, lock);
}
