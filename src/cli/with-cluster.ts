import { namespace as namespaceEntry } from "../conf/entries/submission.ts";
import type { Host } from "../host/host.ts";
import { sparkLog } from "../host/log.ts";
import { type ReachedCluster, withClient } from "../masters/kubernetes/connect/with-client.ts";
import type { OpenClient } from "../masters/master-strategy.ts";
import type { CommandLineSettings } from "../plan/invocation.ts";
import type { OpenEmbedded } from "../resolve/destination.ts";
import { orRunningCluster } from "./default-master.ts";
import type { ParsedOptions } from "./parsed-options.ts";
import { withRunningCluster } from "./with-running-cluster.ts";

interface ClusterCall<T> {
  /** With the environment of Spark's launcher. */
  readonly host: Host;
  readonly commandLine: CommandLineSettings;
  readonly openClient?: OpenClient | undefined;
  /** Connects to the embedded cluster. @default only to one that runs in the background */
  readonly connect?: typeof withRunningCluster<T> | undefined;
}

/** Cluster of a command, with the function that opens it if it is embedded. */
interface CommandCluster extends ReachedCluster {
  readonly openEmbedded: OpenEmbedded;
}

/** Connects to the cluster that a command line specifies, and checks its namespace. Logs warnings only. */
export function withCluster<T>(
  { host, commandLine, openClient, connect = withRunningCluster }: ClusterCall<T>,
  use: (reached: CommandCluster) => Promise<T>,
): Promise<T> {
  return connect(host, async (openEmbedded) => {
    const settings = await orRunningCluster(host, commandLine);
    const call = { host, commandLine: settings, openEmbedded, openClient, log: sparkLog(host, "WARN") };
    return withClient(call, { entries: [namespaceEntry] }, (reached) => use({ ...reached, openEmbedded }));
  });
}

type NamespaceOptions = ParsedOptions<"-A" | "--all-namespaces", "-n" | "--namespace">;

/** Returns the namespace whose applications a command lists; `undefined` for all. */
export function listedNamespace(
  options: Pick<NamespaceOptions, "has" | "value">,
  { client, cluster: { conf } }: ReachedCluster,
): string | undefined {
  if (options.has("-A") || options.has("--all-namespaces")) return undefined;
  const specified = options.value("--namespace") ?? options.value("-n");
  return specified ?? client.defaultNamespace ?? conf.get(namespaceEntry);
}
