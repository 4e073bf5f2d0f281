import type { Behaviors } from "../../../conf/behaviors.ts";
import { namespace as namespaceEntry } from "../../../conf/entries/submission.ts";
import type { SparkConf } from "../../../conf/spark-conf.ts";
import { traitsOf } from "../../../conf/spark-version.ts";
import { hasCode, submitError } from "../../../errors/submit-error.ts";
import { resourceTypes } from "../../../kube/resources.ts";
import type { Pod } from "../../../kube/types.ts";
import type { KubeClient } from "../../../kube-client/client.ts";
import { appSelectorLabel, roleLabel } from "../../../plan/labels.ts";
import { isAppId, type SubmissionId } from "../../../values/identity.ts";

/** Which pods are meant, and where; `namespace` `undefined`: all of them. */
export interface DriverSelection {
  readonly kind: "pod" | "prefix" | "application";
  readonly namespace: string | undefined;
  /** A pod's name, the beginning of names, or an application's id. */
  readonly name: string;
}

/** What decides about a namespace that the id does not name. */
export interface SelectionSources {
  readonly client: Pick<KubeClient, "defaultNamespace">;
  readonly conf: SparkConf;
  readonly behaviors: Pick<Behaviors, "operationIds" | "operationNamespace">;
  readonly action: "kill" | "status";
}

/**
 * What a submission id means: one pod of any kind, or all drivers whose names begin like this, in the namespace of the id,
 * else in that of the kubeconfig.
 *
 * Unless exactly Spark's behaviour is asked for, an application's id selects its driver, and the last resort for a
 * pod's namespace is the one that a submission would take.
 *
 * @throws SUBMIT_ERR_NAMESPACE_UNKNOWN
 */
export function selectDrivers(id: SubmissionId, sources: SelectionSources): DriverSelection {
  const { client, conf, behaviors, action } = sources;
  const { name } = id;
  const namespace = id.namespace ?? client.defaultNamespace;
  if (id.isPrefix) return { kind: "prefix", namespace, name };
  if (behaviors.operationIds === "application" && isAppId(name))
    return { kind: "application", namespace, name };
  if (namespace !== undefined) return { kind: "pod", namespace, name };
  if (behaviors.operationNamespace === "setting")
    return { kind: "pod", namespace: conf.get(namespaceEntry), name };
  const isUnseen = action === "kill" && traitsOf(conf.version.line).killsUnseen;
  if (!isUnseen) throw submitError("SUBMIT_ERR_NAMESPACE_UNKNOWN", { name });
  return { kind: "pod", namespace, name };
}

/** The pods that are there. */
export async function findDrivers(
  client: KubeClient,
  { kind, namespace, name }: DriverSelection,
): Promise<readonly Pod[]> {
  const place = { type: resourceTypes.pod, ...(namespace !== undefined && { namespace }) };
  if (kind === "pod") return getPod(client, { ...place, name });
  const isDriver = `${roleLabel}=driver`;
  const labelSelector = kind === "application" ? `${isDriver},${appSelectorLabel}=${name}` : isDriver;
  const { items } = await client.list<Pod>({ ...place, labelSelector });
  return kind === "application"
    ? items
    : items.filter((pod) => pod.metadata?.name?.startsWith(name) === true);
}

async function getPod(client: KubeClient, call: Parameters<KubeClient["get"]>[0]): Promise<readonly Pod[]> {
  try {
    return [await client.get<Pod>(call)];
  } catch (error) {
    if (hasCode(error, "SUBMIT_ERR_KUBE_NOT_FOUND")) return [];
    throw error;
  }
}

/** What is said when there is none. */
export function noneFound(
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
  return `${text}\nHint: There is no ${what} ${where}.\n`;
}
