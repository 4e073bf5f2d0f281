import type { Host } from "../../../host/host.ts";
import { isRunning } from "../../../host/is-running.ts";
import { removeTree } from "../../../host/remove-tree.ts";
import { lockHolder } from "../../cluster-lock.ts";
import { clusterPaths } from "../../cluster-record.ts";
import { parseFlags } from "../../flags.ts";
import { clusterName } from "./options.ts";

const patienceMs = 20_000;
const pollMs = 50;

/** `cluster stop`: ends the cluster's process, which ends its pods, and removes what it left. */
export async function stopCluster(host: Host, args: readonly string[]): Promise<number> {
  const name = clusterName(parseFlags(args, { flags: [], values: ["--name"], maxWords: 0 }));
  const paths = clusterPaths(host, name);
  const pid = lockHolder(host, name);
  if (pid !== undefined) await endProcess(host, pid);
  removeTree(host.files, paths.directory);
  host.stdout.write(
    pid !== undefined ? `Cluster "${name}" stopped.\n` : `Cluster "${name}" was not running.\n`,
  );
  return 0;
}

async function endProcess(host: Host, pid: number): Promise<void> {
  host.kill(pid, "SIGTERM");
  const limit = host.clock.monotonic() + patienceMs;
  while (isRunning(host, pid)) {
    if (host.clock.monotonic() > limit) host.kill(pid, "SIGKILL");
    await host.clock.sleep(pollMs);
  }
}
