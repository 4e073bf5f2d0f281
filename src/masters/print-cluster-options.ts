import { quoteForShell } from "../host/quote-for-shell.ts";
import type { Pod } from "../kube/types.ts";
import type { Submitted } from "./submit-outcome.ts";

type Cluster = Pick<Submitted, "master" | "context">;

/** Prints the options with which another command reaches the cluster of a submission, without KUBECONFIG's current context. */
export function printClusterOptions({ master, context }: Cluster): string {
  const named = context === undefined ? "" : ` --context ${quoteForShell(context)}`;
  return `--master ${quoteForShell(master)}${named}`;
}

/** Prints the warning about a driver for which the client cannot wait any longer. */
export function unwatchedDriverText({ metadata: { namespace = "", name = "" } = {} }: Pod, cluster: Cluster): string {
  const command = `firesteel status ${namespace}:${name} ${printClusterOptions(cluster)}`;
  return `Cannot wait for the driver ${name}, which keeps running. Check its state: ${command}`;
}
