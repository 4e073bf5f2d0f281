import { submitError } from "../errors/submit-error.ts";
import type { Host } from "../host/host.ts";
import { isRunning } from "../host/is-running.ts";
import { clusterPaths } from "./cluster-record.ts";

/** Returns the ID of the process that runs or starts a cluster; `undefined` if there is none. */
export function lockHolder(host: Host, name: string): number | undefined {
  const pid = Number(host.files.readLink(clusterPaths(host, name).lock) ?? Number.NaN);
  return Number.isInteger(pid) && isRunning(host, pid) && isServing(host, pid) ? pid : undefined;
}

/** Guards against reused process IDs. Without `/proc`, every process counts. */
function isServing(host: Host, pid: number): boolean {
  const args = host.files.readText(`/proc/${pid}/cmdline`)?.split("\0");
  return args === undefined || (args.includes("cluster") && args.includes("serve"));
}

/** Makes this process the only one that runs the cluster. @throws SubmitError `SUBMIT_ERR_CLUSTER_IN_USE` */
export function takeLock(host: Host, name: string): void {
  const { lock } = clusterPaths(host, name);
  const target = host.files.readLink(lock);
  const holder = lockHolder(host, name);
  if (holder !== undefined) throw submitError("SUBMIT_ERR_CLUSTER_IN_USE", { name, pid: holder });
  if (target !== undefined) removeStaleLock(host, lock, target);
  try {
    // Creating a link is atomic: it fails if another process was first.
    host.files.link(String(host.pid), lock);
  } catch (cause) {
    const pid = lockHolder(host, name) ?? 0;
    throw submitError("SUBMIT_ERR_CLUSTER_IN_USE", { name, pid }, { cause });
  }
}

/** Removes the lock of a process that has ended. Renames it first: another process can replace it at any moment. */
function removeStaleLock({ files, pid }: Host, lock: string, target: string): void {
  const removed = `${lock}.${pid}`;
  try {
    files.rename(lock, removed);
  } catch {
    // Another process removed it.
    return;
  }
  if (files.readLink(removed) === target) files.remove(removed);
  else files.rename(removed, lock);
}
