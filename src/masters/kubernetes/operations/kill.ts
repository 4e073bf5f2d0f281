import type { Behaviors } from "../../../conf/behaviors.ts";
import type { SparkConf } from "../../../conf/spark-conf.ts";
import type { SparkLineTraits } from "../../../conf/spark-version.ts";
import { isSubmitError, SubmitError } from "../../../errors/submit-error.ts";
import type { Host } from "../../../host/host.ts";
import { sparkLog } from "../../../host/log.ts";
import { resourceTypes } from "../../../kube/resources.ts";
import type { Pod } from "../../../kube/types.ts";
import type { KubeClient } from "../../../kube-client/client.ts";
import { hasUploads } from "../../../plan/uploads-annotation.ts";
import { type DriverSelection, findDrivers, noneFound } from "./driver-selection.ts";

/** Which drivers are to end, and how. */
export interface KillCall {
  readonly host: Host;
  readonly conf: SparkConf;
  readonly client: KubeClient;
  readonly selection: DriverSelection;
  readonly behaviors: Behaviors;
  readonly traits: Pick<SparkLineTraits, "killsUnseen">;
  /** `undefined`: the pod's own. */
  readonly graceSeconds: number | undefined;
}

/** The first line of a kill. The number is without a full stop, and its absence with one: so Spark has it. */
export function killRequestLine({ submissionId, master, graceSeconds }: RequestLineFields): string {
  const grace = graceSeconds === undefined ? "not set." : String(graceSeconds);
  return `Submitting a request to kill submission ${submissionId} in ${master}. Grace period in secs: ${grace}`;
}

/** What the first line of an operation tells. */
export interface RequestLineFields {
  readonly submissionId: string;
  /** As written. */
  readonly master: string;
  readonly graceSeconds: number | undefined;
}

/**
 * Deletes the pods of drivers; what they own is collected by the cluster.
 *
 * Source: Spark K8SSparkSubmitOperation, KillApplication.
 *
 * @returns whether there was one
 * @throws SUBMIT_ERR_KUBE_…: of all that could not be deleted; of the first, which ends it, where exactly Spark's behaviour is wanted
 */
export async function killDrivers(call: KillCall): Promise<boolean> {
  const { host, client, selection, behaviors, traits } = call;
  if (behaviors.killMissing === "spark" && traits.killsUnseen && selection.kind === "pod") {
    await deletePod(call, { metadata: { name: selection.name } });
    return true;
  }
  const pods = await findDrivers(client, selection);
  if (pods.length === 0) {
    host.stderr.write(noneFound(selection, behaviors));
    return false;
  }
  if (selection.kind !== "pod") {
    host.stderr.write(pods.map(({ metadata }) => `Deleting driver pod: ${metadata?.name}.\n`).join(""));
  }
  await deleteAll(call, pods);
  if (behaviors.failedUploads === "removed") await removeUploadsOf(call, pods);
  return true;
}

/** Of submissions that want it. */
async function removeUploadsOf({ host, conf }: KillCall, pods: readonly Pod[]): Promise<void> {
  const owners = pods.filter(hasUploads);
  if (owners.length === 0) return;
  const { removeAndTell } = await import("../stage/uploads/remove-uploads.ts");
  const removal = { host, owner: { conf }, log: sparkLog(host) };
  for (const pod of owners) await removeAndTell(removal, pod);
}

async function deleteAll(call: KillCall, pods: readonly Pod[]): Promise<void> {
  const refusals: SubmitError[] = [];
  for (const pod of pods) {
    try {
      await deletePod(call, pod);
    } catch (error) {
      if (call.behaviors.operationErrors === "spark" || !isSubmitError(error)) throw error;
      refusals.push(error);
      // Each further call would wait for its time limit, too.
      if (error.kind === "unreachable" || error.kind === "timeout") break;
    }
  }
  const [first] = refusals;
  if (first === undefined) return;
  const others = refusals.slice(1).flatMap(({ issues }) => issues);
  throw new SubmitError([...first.issues, ...others], { cause: first.cause });
}

async function deletePod({ client, selection, graceSeconds }: KillCall, { metadata }: Pod): Promise<void> {
  const namespace = metadata?.namespace ?? selection.namespace;
  await client.delete({
    type: resourceTypes.pod,
    name: metadata?.name ?? "",
    ...(namespace !== undefined && { namespace }),
    // As Spark's client: a negative number counts as none.
    ...(graceSeconds !== undefined && graceSeconds >= 0 && { gracePeriodSeconds: graceSeconds }),
  });
}
