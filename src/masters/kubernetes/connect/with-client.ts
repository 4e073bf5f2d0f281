import type { ConfEntry } from "../../../conf/entry.ts";
import type { Issue } from "../../../errors/issue.ts";
import { throwIssues } from "../../../errors/submit-error.ts";
import type { Host } from "../../../host/host.ts";
import { type Log, sparkLog } from "../../../host/log.ts";
import type { KubeClient } from "../../../kube-client/client.ts";
import type { CommandLineSettings } from "../../../plan/invocation.ts";
import type { SubmitContext } from "../../master-strategy.ts";
import {
  type ClusterConnection,
  connectionEntries,
  connectionOptions,
  connectOverNetwork,
} from "./connection-options.ts";
import { findCluster } from "./find-cluster.ts";

/** Inputs of the connection to a cluster. */
export interface ReachClusterCall extends Pick<SubmitContext, "openClient" | "openEmbedded"> {
  readonly host: Host;
  readonly commandLine: CommandLineSettings;
  /** @default stderr, in Spark's layout */
  readonly log?: Log | undefined;
}

/** A connection to a cluster. */
export interface ReachedCluster {
  readonly cluster: ClusterConnection;
  readonly client: KubeClient;
  readonly log: Log;
}

interface Checks {
  /** Settings that `use` needs, which are checked together with those of the connection. */
  readonly entries: readonly ConfEntry<unknown>[];
  /** Other problems of the input. @default none */
  readonly issues?: readonly Issue[];
}

/**
 * Calls `use` with a connection to the cluster that options and settings specify, and closes the connection.
 *
 * @throws SUBMIT_ERR_SETTING_…, SUBMIT_ERR_KUBE_…, the problems of `issues`
 */
export async function withClient<T>(
  call: ReachClusterCall,
  { entries, issues = [] }: Checks,
  use: (reached: ReachedCluster) => Promise<T>,
): Promise<T> {
  const { host, log = sparkLog(host), openClient = connectOverNetwork } = call;
  const cluster = await findCluster(call);
  throwIssues([...cluster.conf.check([...connectionEntries, ...entries]), ...issues]);
  const client = await openClient(host, connectionOptions(cluster, log));
  try {
    return await use({ cluster, client, log });
  } finally {
    client.close();
  }
}
