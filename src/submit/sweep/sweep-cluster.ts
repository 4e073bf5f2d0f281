import { namespace as namespaceEntry } from "../../conf/entries/submission.ts";
import { submitError, throwIssues } from "../../errors/submit-error.ts";
import type { Host } from "../../host/host.ts";
import { sparkLog } from "../../host/log.ts";
import { printReference } from "../../kube/resources.ts";
import type { GivenSettings } from "../../plan/invocation.ts";
import { parseDuration } from "../../values/duration.ts";
import { connectionEntries, connectionOptions } from "../connection.ts";
import { findCluster } from "../find-cluster.ts";
import { type OpenClient, overNetwork } from "../open-client.ts";
import type { OpenEmbedded } from "../resolve/enter-embedded.ts";
import { type SweepResult, type SweptObject, sweep } from "./sweep.ts";
import { sweepUploads } from "./sweep-uploads.ts";

/** Which cluster is swept, as a command line tells it, and how thoroughly. */
export interface SweepRequest {
  readonly host: Host;
  readonly given: GivenSettings;
  /** E.g. `10min`. */
  readonly olderThan: string;
  readonly dryRun: boolean;
  readonly openEmbedded?: OpenEmbedded | undefined;
  /** @default over the network */
  readonly openClient?: OpenClient | undefined;
}

/**
 * Sweeps the namespace of the settings.
 *
 * @throws SUBMIT_ERR_ARG_VALUE, SUBMIT_ERR_MASTER_PREFIX, SUBMIT_ERR_MASTER_SCHEME, and what connecting throws
 */
export async function sweepCluster(
  request: SweepRequest,
): Promise<SweepResult & { readonly namespace: string }> {
  const { host, dryRun, openClient = overNetwork } = request;
  const age = parseDuration(request.olderThan, "s");
  if (!age.ok) {
    const allowed = "times such as 10min or 1h";
    throw submitError("SUBMIT_ERR_ARG_VALUE", { option: "--older-than", value: request.olderThan, allowed });
  }
  const cluster = await findCluster(request);
  throwIssues(cluster.conf.check([namespaceEntry, ...connectionEntries]));
  const namespace = cluster.conf.get(namespaceEntry);
  const client = await openClient(host, connectionOptions(cluster, sparkLog(host, "WARN")));
  try {
    const result = await sweep({
      client,
      clock: host.clock,
      namespace,
      olderThanMs: age.value * 1000,
      dryRun,
    });
    if (!dryRun) await sweepUploads({ host, client, owner: cluster }, namespace);
    return { ...result, namespace };
  } finally {
    client.close();
  }
}

/** One line about an object, e.g. `deleted configmap/spark-drv-…-conf-map`. */
export function printSwept({ type, name, action, driver }: SweptObject): string {
  const about = { adopted: ` (driver ${driver ?? ""})`, deleted: "", kept: " (too young)" };
  return `${action} ${printReference(type, name)}${about[action]}`;
}
