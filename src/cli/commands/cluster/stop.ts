import type { Host } from "../../../host/host.ts";
import { isRunning } from "../../../spark/cache.ts";
import { clusterPaths, readClusterRecord } from "../../cluster-record.ts";
import { parseFlags } from "../../flags.ts";
import { isApiAnswering } from "../../probe.ts";
import { clusterName } from "./options.ts";

const patienceMs = 20_000;
const pollMs = 50;

/** `cluster stop`: ends the cluster's process, which ends its pods, and removes what it left. */
export async function stopCluster(host: Host, args: readonly string[]): Promise<number> {
  const name = clusterName(parseFlags(args, { flags: [], values: ["--name"], maxWords: 0 }));
  const paths = clusterPaths(host, name);
  const record = readClusterRecord(host, name);
  const pid = record?.pid ?? Number(host.files.readLink(paths.lock) ?? Number.NaN);
  const isAlive = Number.isInteger(pid) && isRunning(host, pid);
  const isOurs =
    isAlive && (isServing(host, pid) || (record !== undefined && (await isApiAnswering(host.clock, record))));
  if (isOurs) await endProcess(host, pid);
  host.files.remove(paths.directory);
  host.stdout.write(isOurs ? `Cluster "${name}" stopped.\n` : `Cluster "${name}" was not running.\n`);
  return 0;
}

/** Numbers of processes are used again: only one that was started as a cluster's daemon is ended. */
function isServing(host: Host, pid: number): boolean {
  const words = host.files.readText(`/proc/${pid}/cmdline`)?.split("\0") ?? [];
  return words.includes("cluster") && words.includes("serve");
}

async function endProcess(host: Host, pid: number): Promise<void> {
  host.kill(pid, "SIGTERM");
  const limit = host.clock.monotonic() + patienceMs;
  while (isRunning(host, pid)) {
    if (host.clock.monotonic() > limit) host.kill(pid, "SIGKILL");
    await host.clock.sleep(pollMs);
  }
}
