import type { Behaviors } from "../../../conf/behaviors.ts";
import { namespace as namespaceEntry } from "../../../conf/entries/submission.ts";
import type { SparkConf } from "../../../conf/spark-conf.ts";
import { traitsOf } from "../../../conf/spark-version.ts";
import { submitError } from "../../../errors/submit-error.ts";
import { resourceTypes } from "../../../kube/resources.ts";
import type { Pod } from "../../../kube/types.ts";
import type { KubeClient } from "../../../kube-client/client.ts";
import { findObject } from "../../../kube-client/find-object.ts";
import { appSelectorLabel, roleLabel } from "../../../plan/labels.ts";
import { isAppId, type SubmissionId } from "../../../values/identity.ts";

/** Selection of pods. Without `namespace`, it covers all namespaces. */
export interface DriverSelection {
  readonly kind: "pod" | "prefix" | "application";
  readonly namespace: string | undefined;
  /** Pod name, prefix of pod names, or application ID. */
  readonly name: string;
}

interface SelectionSources {
  readonly client: Pick<KubeClient, "defaultNamespace">;
  readonly conf: SparkConf;
  readonly behaviors: Pick<Behaviors, "operationIds" | "operationNamespace">;
  readonly action: "kill" | "status";
}

/**
 * Returns the selection of a submission ID: one pod of any kind, or all drivers with a name prefix, in the namespace of the
 * ID, else in that of the kubeconfig.
 *
 * Unlike Spark, an application ID selects its driver, and a pod's namespace defaults to the one of a submission.
 *
 * @throws SUBMIT_ERR_NAMESPACE_UNKNOWN
 */
export function selectDrivers(id: SubmissionId, sources: SelectionSources): DriverSelection {
  const { client, conf, behaviors, action } = sources;
  const { name } = id;
  const namespace = id.namespace ?? client.defaultNamespace;
  if (id.isPrefix) return { kind: "prefix", namespace, name };
  if (behaviors.operationIds === "application" && isAppId(name)) return { kind: "application", namespace, name };
  if (namespace !== undefined) return { kind: "pod", namespace, name };
  if (behaviors.operationNamespace === "setting") return { kind: "pod", namespace: conf.get(namespaceEntry), name };
  const isUnchecked = action === "kill" && traitsOf(conf.version.line).killsUnseen;
  if (!isUnchecked) throw submitError("SUBMIT_ERR_NAMESPACE_UNKNOWN", { name });
  return { kind: "pod", namespace, name };
}

/** Fetches the selected pods; none if they do not exist. */
export async function findDrivers(
  client: KubeClient,
  { kind, namespace, name }: DriverSelection,
): Promise<readonly Pod[]> {
  const location = { type: resourceTypes.pod, ...(namespace !== undefined && { namespace }) };
  if (kind === "pod") {
    const pod = await findObject<Pod>(client, { ...location, name });
    return pod === undefined ? [] : [pod];
  }
  const isDriver = `${roleLabel}=driver`;
  const labelSelector = kind === "application" ? `${isDriver},${appSelectorLabel}=${name}` : isDriver;
  const { items } = await client.list<Pod>({ ...location, labelSelector });
  return kind === "application" ? items : items.filter((pod) => pod.metadata?.name?.startsWith(name) === true);
}

/** Prints that no driver matches. */
export function printNotFound(
  { kind, namespace, name }: DriverSelection,
  { notFoundText }: Pick<Behaviors, "notFoundText">,
): string {
  const text = kind === "prefix" ? "No applications found." : "Application not found.";
  if (notFoundText === "spark") return `${text}\n`;
  const where = namespace === undefined ? "in any namespace" : `in namespace ${namespace}`;
  const what = {
    pod: `pod ${name}`,
    prefix: name === "" ? "driver" : `driver whose name begins with "${name}"`,
    application: `driver of ${name}`,
  }[kind];
  return `Error: ${text} There is no ${what} ${where}.\nHint: List the drivers: firesteel ps\n`;
}
