import type { Host } from "../../../host/host.ts";
import { removeTree } from "../../../host/remove-tree.ts";
import { clusterPaths } from "../../cluster-record.ts";
import { parseOptions } from "../../parse-options.ts";
import { clusterName } from "./options.ts";
import { endCluster } from "./stop.ts";

/** `cluster delete`: ends the cluster and removes all that it left. */
export async function deleteCluster(host: Host, args: readonly string[]): Promise<number> {
  const name = clusterName(parseOptions(args, { flags: [], values: ["--name"], maxPositionals: 0 }));
  const { directory } = clusterPaths(host, name);
  const wasThere = host.files.info(directory) !== undefined;
  await endCluster(host, name);
  removeTree(host.files, directory);
  host.stdout.write(wasThere ? `Cluster "${name}" deleted.\n` : `There is no cluster "${name}".\n`);
  return 0;
}
