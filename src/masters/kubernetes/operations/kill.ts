import type { Behaviors } from "../../../conf/behaviors.ts";
import type { SparkConf } from "../../../conf/spark-conf.ts";
import type { SparkLineTraits } from "../../../conf/spark-version.ts";
import { isSubmitError, type SubmitError } from "../../../errors/submit-error.ts";
import type { Host } from "../../../host/host.ts";
import { sparkLog } from "../../../host/log.ts";
import { visibleLine } from "../../../host/visible-text.ts";
import { resourceTypes } from "../../../kube/resources.ts";
import type { Pod } from "../../../kube/types.ts";
import type { KubeClient } from "../../../kube-client/client.ts";
import { hasUploads } from "../../../plan/uploads-annotation.ts";
import { withFurtherIssues } from "../create/undo-creations.ts";
import { type DriverSelection, findDrivers, printNotFound } from "./driver-selection.ts";

interface KillCall {
  readonly host: Host;
  readonly conf: SparkConf;
  readonly client: KubeClient;
  readonly selection: DriverSelection;
  readonly behaviors: Behaviors;
  readonly traits: Pick<SparkLineTraits, "killsUnseen">;
  /** Grace period; `undefined` for the pod's own. */
  readonly graceSeconds: number | undefined;
}

/**
 * Deletes the pods of drivers. The cluster collects the objects that they own.
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
    host.stderr.write(
      pods.map(({ metadata }) => `Deleting driver pod: ${visibleLine(metadata?.name ?? "")}.\n`).join(""),
    );
  }
  await deleteAll(call, pods);
  if (behaviors.failedUploads === "removed") await removeUploadsOf(call, pods);
  return true;
}

/** Removes the uploads of drivers whose pods list them. */
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
  const [first, ...others] = rejections;
  if (first !== undefined)
    throw withFurtherIssues(
      first,
      others.flatMap(({ issues }) => issues),
    );
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
