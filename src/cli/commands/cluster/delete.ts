import type { Host } from "../../../host/host.ts";
import { removeTree } from "../../../host/remove-tree.ts";
import { clusterPaths } from "../../cluster-record.ts";
import { parseOptions } from "../../parse-options.ts";
import { clusterName } from "./options.ts";
import { stopClusterProcess } from "./stop.ts";

/** Runs `cluster delete`: stops the cluster and deletes all its files. */
export async function deleteCluster(host: Host, args: readonly string[]): Promise<number> {
  const name = clusterName(parseOptions(args, { flags: [], values: ["--name"], maxPositionals: 0 }));
  const { directory, shuffle } = clusterPaths(host, name);
  const wasThere = host.files.info(directory) !== undefined;
  await stopClusterProcess(host, name);
  for (const path of [directory, shuffle]) removeTree(host.files, path);
  host.stdout.write(wasThere ? `Cluster "${name}" deleted.\n` : `Cluster "${name}" does not exist.\n`);
  return 0;
}
