import { behaviorsOf } from "../../conf/behaviors.ts";
import { namespace as namespaceEntry } from "../../conf/entries/submission.ts";
import type { ConfEntry } from "../../conf/entry.ts";
import { issuesOf } from "../../errors/issue.ts";
import { orThrow, submitError, throwIssues } from "../../errors/submit-error.ts";
import type { Host } from "../../host/host.ts";
import { type Log, sparkLog } from "../../host/log.ts";
import type { Pod } from "../../kube/types.ts";
import type { KubeClient } from "../../kube-client/client.ts";
import type { CommandLineSettings } from "../../plan/invocation.ts";
import { parseSubmissionId } from "../../values/identity.ts";
import type { SubmitContext } from "../master-strategy.ts";
import {
  type ClusterConnection,
  connectionEntries,
  connectionOptions,
  connectOverNetwork,
} from "./connect/connection-options.ts";
import { findCluster } from "./connect/find-cluster.ts";
import { type DriverSelection, findDrivers, selectDrivers } from "./operations/driver-selection.ts";

/** Identity of a driver and inputs of the connection to its cluster. */
export interface ReachDriverCall extends Pick<SubmitContext, "openClient" | "openEmbedded"> {
  readonly host: Host;
  readonly commandLine: CommandLineSettings;
  /** `namespace:pod`, a pod, a prefix of its name with `*`, or an application ID. */
  readonly id: string;
  /** @default stderr, in Spark's layout */
  readonly log?: Log | undefined;
}

/** An existing driver with a connection to its cluster. */
interface ReachedDriver {
  readonly cluster: ClusterConnection;
  readonly client: KubeClient;
  readonly log: Log;
  readonly pod: Pod;
}

/**
 * Finds one driver, calls `use` with a connection to its cluster, and closes the connection.
 *
 * @param entries settings that `use` needs, which are checked together with those of the connection
 *
 * @throws SUBMIT_ERR_DRIVER_MISSING, SUBMIT_ERR_DRIVER_AMBIGUOUS, SUBMIT_ERR_SUBMISSION_ID_…, SUBMIT_ERR_SETTING_…, SUBMIT_ERR_KUBE_…
 */
export async function withDriver<T>(
  call: ReachDriverCall,
  entries: readonly ConfEntry<unknown>[],
  use: (reached: ReachedDriver) => Promise<T>,
): Promise<T> {
  const { host, id, log = sparkLog(host), openClient = connectOverNetwork } = call;
  const cluster = await findCluster(call);
  const { conf } = cluster;
  const parsed = parseSubmissionId(id);
  throwIssues([...conf.check([namespaceEntry, ...connectionEntries, ...entries]), ...issuesOf(parsed)]);
  const client = await openClient(host, connectionOptions(cluster, log));
  try {
    const selection = selectDrivers(orThrow(parsed), { client, conf, behaviors: behaviorsOf({}), action: "status" });
    const pod = requireOne(await findDrivers(client, selection), selection);
    return await use({ cluster, client, log, pod });
  } finally {
    client.close();
  }
}

function requireOne(pods: readonly Pod[], { kind, namespace, name }: DriverSelection): Pod {
  const [pod, ...others] = pods;
  const id = kind === "prefix" ? `${name}*` : name;
  if (pod === undefined) throw submitError("SUBMIT_ERR_DRIVER_MISSING", { id, namespace });
  if (others.length === 0) return pod;
  const ids = pods.map(({ metadata }) => `${metadata?.namespace}:${metadata?.name}`);
  throw submitError("SUBMIT_ERR_DRIVER_AMBIGUOUS", { id, ids });
}
