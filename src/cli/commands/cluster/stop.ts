import type { Host } from "../../../host/host.ts";
import { isRunning } from "../../../host/is-running.ts";
import { lockHolder } from "../../cluster-lock.ts";
import { clusterPaths } from "../../cluster-record.ts";
import { parseOptions } from "../../parse-options.ts";
import { clusterName } from "./options.ts";

const patienceMs = 20_000;
const pollMs = 50;

/** `cluster stop`: ends the cluster's process, which ends its pods. Its objects stay for the next start. */
export async function stopCluster(host: Host, args: readonly string[]): Promise<number> {
  const name = clusterName(parseOptions(args, { flags: [], values: ["--name"], maxPositionals: 0 }));
  const wasRunning = await endCluster(host, name);
  host.stdout.write(wasRunning ? `Cluster "${name}" stopped.\n` : `Cluster "${name}" was not running.\n`);
  return 0;
}

/** Ends the process that serves a cluster; false when there is none. */
export async function endCluster(host: Host, name: string): Promise<boolean> {
  const pid = lockHolder(host, name);
  if (pid !== undefined) await endProcess(host, pid);
  // Of one that was killed.
  const { record, kubeconfig } = clusterPaths(host, name);
  for (const path of [record, kubeconfig]) host.files.remove(path);
  return pid !== undefined;
}

async function endProcess(host: Host, pid: number): Promise<void> {
  host.kill(pid, "SIGTERM");
  const limit = host.clock.monotonic() + patienceMs;
  while (isRunning(host, pid)) {
    if (host.clock.monotonic() > limit) host.kill(pid, "SIGKILL");
    await host.clock.sleep(pollMs);
  }
}
