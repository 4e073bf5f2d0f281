import { submitError } from "../errors/submit-error.ts";
import type { Host } from "../host/host.ts";
import { isRunning } from "../host/is-running.ts";
import { clusterPaths } from "./cluster-record.ts";

/** Returns the ID of the process that runs or starts a cluster; `undefined` if there is none. */
export function lockHolder(host: Host, name: string): number | undefined {
  return runningServer(host, host.files.readLink(clusterPaths(host, name).lock));
}

/**
 * Returns the process that a lock names if it runs a cluster. Process IDs are reused, even the one of this process, and
 * then name another program. Without `/proc`, any other process counts.
 */
function runningServer(host: Host, target: string | undefined): number | undefined {
  const pid = Number(target ?? Number.NaN);
  if (!Number.isInteger(pid) || pid === host.pid || !isRunning(host, pid)) return undefined;
  const args = host.files.readText(`/proc/${pid}/cmdline`)?.split("\0");
  return args === undefined || (args.includes("cluster") && args.includes("serve")) ? pid : undefined;
}

/** Makes this process the only one that runs the cluster. @throws SubmitError `SUBMIT_ERR_CLUSTER_IN_USE` */
export function takeLock(host: Host, name: string): void {
  const pid = takeLink(host, clusterPaths(host, name).lock);
  if (pid !== host.pid) throw submitError("SUBMIT_ERR_CLUSTER_IN_USE", { name, pid });
}

/** Creates a link to this process, or replaces the link of a process that has ended. @returns the process that has it */
function takeLink(host: Host, path: string): number {
  const { files, pid } = host;
  const target = files.readLink(path);
  if (target !== undefined) {
    const holder = runningServer(host, target);
    if (holder !== undefined) return holder;
    // Without this second lock, a process that was slow since it read the link could remove the link of a faster one.
    const removal = `${path}.${target}`;
    const remover = takeLink(host, removal);
    if (remover !== pid) return remover;
    if (files.readLink(path) === target) files.remove(path);
    files.remove(removal);
  }
  try {
    // Creating a link is atomic: it fails if another process was first.
    files.link(String(pid), path);
    return pid;
  } catch (error) {
    const winner = files.readLink(path);
    if (winner === undefined) throw error;
    return Number(winner);
  }
}
