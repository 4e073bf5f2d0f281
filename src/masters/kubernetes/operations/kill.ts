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
import { type DriverSelection, findDrivers, printNotFound } from "./driver-selection.ts";

/** Inputs of the deletion of drivers. */
export interface KillCall {
  readonly host: Host;
  readonly conf: SparkConf;
  readonly client: KubeClient;
  readonly selection: DriverSelection;
  readonly behaviors: Behaviors;
  readonly traits: Pick<SparkLineTraits, "killsUnseen">;
  /** Grace period; `undefined` for the pod's own. */
  readonly graceSeconds: number | undefined;
}

/** Prints the first line of a kill. As in Spark, only a missing grace period has a full stop. */
export function killRequestLine({ submissionId, master, graceSeconds }: RequestLineFields): string {
  const grace = graceSeconds === undefined ? "not set." : String(graceSeconds);
  return `Submitting a request to kill submission ${submissionId} in ${master}. Grace period in secs: ${grace}`;
}

/** Values of the first line of an operation. */
export interface RequestLineFields {
  readonly submissionId: string;
  /** Master URL as specified. */
  readonly master: string;
  readonly graceSeconds: number | undefined;
}

/**
 * Deletes the pods of drivers. The cluster collects the objects that they own.
 *
 * Source: Spark K8SSparkSubmitOperation, KillApplication.
 *
 * @returns whether a driver matched
 * @throws SUBMIT_ERR_KUBE_… for all drivers that could not be deleted; as Spark, only for the first one, which ends the kill
 */
export async function killDrivers(call: KillCall): Promise<boolean> {
  const { host, client, selection, behaviors, traits } = call;
  if (behaviors.killMissing === "spark" && traits.killsUnseen && selection.kind === "pod") {
    await deletePod(call, { metadata: { name: selection.name } });
    return true;
  }
  const pods = await findDrivers(client, selection);
  if (pods.length === 0) {
    host.stderr.write(printNotFound(selection, behaviors));
    return false;
  }
  if (selection.kind !== "pod") {
    host.stderr.write(pods.map(({ metadata }) => `Deleting driver pod: ${metadata?.name}.\n`).join(""));
  }
  await deleteAll(call, pods);
  if (behaviors.failedUploads === "removed") await removeUploadsOf(call, pods);
  return true;
}

/** Removes the uploads of drivers whose pods note them. */
async function removeUploadsOf({ host, conf }: KillCall, pods: readonly Pod[]): Promise<void> {
  const owners = pods.filter(hasUploads);
  if (owners.length === 0) return;
  const { removeAndReport } = await import("../stage/uploads/remove-uploads.ts");
  const removal = { host, owner: { conf }, log: sparkLog(host) };
  for (const pod of owners) await removeAndReport(removal, pod);
}

async function deleteAll(call: KillCall, pods: readonly Pod[]): Promise<void> {
  const rejections: SubmitError[] = [];
  for (const pod of pods) {
    try {
      await deletePod(call, pod);
    } catch (error) {
      if (call.behaviors.operationErrors === "spark" || !isSubmitError(error)) throw error;
      rejections.push(error);
      // Every further call would time out, too.
      if (error.kind === "unreachable" || error.kind === "timeout") break;
    }
  }
  const [first] = rejections;
  if (first === undefined) return;
  const others = rejections.slice(1).flatMap(({ issues }) => issues);
  throw new SubmitError([...first.issues, ...others], { cause: first.cause });
}

async function deletePod({ client, selection, graceSeconds }: KillCall, { metadata }: Pod): Promise<void> {
  const namespace = metadata?.namespace ?? selection.namespace;
  await client.delete({
    type: resourceTypes.pod,
    name: metadata?.name ?? "",
    ...(namespace !== undefined && { namespace }),
    // As in Spark's client, a negative number means none.
    ...(graceSeconds !== undefined && graceSeconds >= 0 && { gracePeriodSeconds: graceSeconds }),
  });
}
