import type { Host } from "../../../host/host.ts";
import { isRunning } from "../../../host/is-running.ts";
import { lockHolder } from "../../cluster-lock.ts";
import { clusterPaths } from "../../cluster-record.ts";
import { parseOptions } from "../../parse-options.ts";
import { clusterName } from "./options.ts";

const stopTimeoutMs = 20_000;
const pollMs = 50;

/** Runs `cluster stop`: stops the cluster's process and its pods. The objects stay for the next start. */
export async function stopCluster(host: Host, args: readonly string[]): Promise<number> {
  const name = clusterName(parseOptions(args, { flags: [], values: ["--name"], maxPositionals: 0 }));
  const wasRunning = await stopClusterProcess(host, name);
  host.stdout.write(wasRunning ? `Cluster "${name}" stopped.\n` : `Cluster "${name}" was not running.\n`);
  return 0;
}

/** Stops the process that serves a cluster. @returns false if there is none */
export async function stopClusterProcess(host: Host, name: string): Promise<boolean> {
  const pid = lockHolder(host, name);
  if (pid !== undefined) await stopProcess(host, pid);
  // A process that was killed leaves these files.
  const { record, kubeconfig } = clusterPaths(host, name);
  for (const path of [record, kubeconfig]) host.files.remove(path);
  return pid !== undefined;
}

async function stopProcess(host: Host, pid: number): Promise<void> {
  host.kill(pid, "SIGTERM");
  const deadline = host.clock.monotonic() + stopTimeoutMs;
  while (isRunning(host, pid)) {
    if (host.clock.monotonic() > deadline) host.kill(pid, "SIGKILL");
    await host.clock.sleep(pollMs);
  }
}
