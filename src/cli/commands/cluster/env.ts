import type { Host } from "../../../host/host.ts";
import { quoteForShell } from "../../../host/quote-for-shell.ts";
import { clusterPaths, requireRunningCluster } from "../../cluster-record.ts";
import { parseOptions } from "../../parse-options.ts";
import { clusterName } from "./options.ts";

/** Runs `cluster env`: prints lines for a shell's `eval`. @throws SubmitError `SUBMIT_ERR_CLUSTER_NOT_FOUND` */
export async function printClusterEnvironment(host: Host, args: readonly string[]): Promise<number> {
  const name = clusterName(parseOptions(args, { flags: [], values: ["--name"], maxPositionals: 0 }));
  await requireRunningCluster(host, name);
  host.stdout.write(`export KUBECONFIG=${quoteForShell(clusterPaths(host, name).kubeconfig)}\n`);
  return 0;
}
