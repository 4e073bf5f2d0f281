import { behaviorsOf } from "../../conf/behaviors.ts";
import { namespace } from "../../conf/entries/submission.ts";
import type { ConfEntry } from "../../conf/entry.ts";
import { issuesOf } from "../../errors/issue.ts";
import { orThrow } from "../../errors/submit-error.ts";
import type { Pod } from "../../kube/types.ts";
import { parseSubmissionId } from "../../values/identity.ts";
import { findDriver } from "./applications/find-driver.ts";
import { type ReachClusterCall, type ReachedCluster, withClient } from "./connect/with-client.ts";
import { selectDrivers } from "./operations/driver-selection.ts";

/** Identity of a driver and inputs of the connection to its cluster. */
export interface ReachDriverCall extends ReachClusterCall {
  /** `namespace:pod`, a pod, a prefix of its name with `*`, an application ID, the name of an application, or `last`. */
  readonly id: string;
}

/** An existing driver with a connection to its cluster. */
interface ReachedDriver extends ReachedCluster {
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
  const parsed = parseSubmissionId(call.id);
  const checks = { entries: [namespace, ...entries], issues: issuesOf(parsed) };
  return withClient(call, checks, async (reached) => {
    const { client, cluster } = reached;
    const sources = { client, conf: cluster.conf, behaviors: behaviorsOf({}), action: "status" } as const;
    return use({ ...reached, pod: await findDriver(client, selectDrivers(orThrow(parsed), sources)) });
  });
}
