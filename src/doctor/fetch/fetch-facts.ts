import { shuffleServiceEnabled } from "../../conf/entries/shuffle.ts";
import type { PlacedPod } from "../../kube/placement.ts";
import { type ResourceType, resourceTypes } from "../../kube/resources.ts";
import type { KubeResource } from "../../kube/types.ts";
import type { KubeClient } from "../../kube-client/client.ts";
import { isFields } from "../../values/fields.ts";
import { type Reference, referencesOf } from "../references.ts";
import { isPodSpec, type PlannedSubmission } from "../submission.ts";
import { type ReviewedAction, reviewAccount, reviewAll, reviewOwn } from "./access-reviews.ts";
import { type DryRun, dryRun } from "./dry-run.ts";
import { type Fetched, fetched, foundValue } from "./fetched.ts";
import { driverActions, submitterActions } from "./needed-permissions.ts";

/** Referenced object, as the API has it. Contains no data of Secrets. */
export interface FetchedReference {
  readonly reference: Reference;
  readonly object: Fetched<KubeResource>;
  /** Volume of a bound claim, if the account may read it. */
  readonly volume?: KubeResource | undefined;
}

/** Responses of the cluster about a submission. */
export interface ClusterFacts {
  /** Time of the requests, in ms since 1970. */
  readonly now: number;
  readonly own: readonly ReviewedAction[];
  /** Permissions of the driver's service account. */
  readonly driver: readonly ReviewedAction[];
  readonly namespace: Fetched<KubeResource>;
  readonly references: readonly FetchedReference[];
  readonly dryRuns: readonly DryRun[];
  readonly quotas: Fetched<readonly KubeResource[]>;
  readonly nodes: Fetched<readonly KubeResource[]>;
  /** Unfinished pods of all namespaces that are bound to nodes. */
  readonly placed: Fetched<readonly PlacedPod[]>;
  /** DaemonSets of the chart's shuffle service; absent if the submission uses no service. */
  readonly shuffleServices: Fetched<readonly KubeResource[]> | undefined;
}

/** Maximum number of nodes, and of pods, that are read. More take seconds. */
const maxListed = 5000;
/** Labels that the Helm chart gives to the DaemonSet of the shuffle service. */
const shuffleServiceSelector = "app.kubernetes.io/name=firesteel,app.kubernetes.io/component=shuffle-service";
const daemonSetType: ResourceType = {
  ...{ group: "apps", version: "v1", kind: "DaemonSet", plural: "daemonsets", namespaced: true },
};
const unfinishedPods = "spec.nodeName!=,status.phase!=Succeeded,status.phase!=Failed";

/** Sends all requests at once. */
export async function fetchFacts(
  client: KubeClient,
  submission: PlannedSubmission,
  { account, now }: { readonly account: string; readonly now: number },
): Promise<ClusterFacts> {
  const { namespace, objects, conf } = submission;
  const list = (type: ResourceType, options: object = {}) =>
    fetched(client.list({ type, limit: maxListed, ...options }).then(({ items }) => items));
  const [own, driver, found, references, dryRuns, quotas, nodes, pods, shuffleServices] = await Promise.all([
    reviewAll(submitterActions(submission), (action) => reviewOwn(client, action)),
    reviewAccount(client, account, driverActions(submission)),
    fetched(client.get({ type: resourceTypes.namespace, name: namespace })),
    Promise.all(referencesOf(submission).map((reference) => fetchReference(client, reference, namespace))),
    Promise.all(objects.map((object) => dryRun(client, object, { namespace, now }))),
    list(resourceTypes.resourceQuota, { namespace }),
    list(resourceTypes.node),
    list(resourceTypes.pod, { fieldSelector: unfinishedPods }),
    conf.readOrAbsent(shuffleServiceEnabled)
      ? list(daemonSetType, { labelSelector: shuffleServiceSelector })
      : undefined,
  ]);
  const placed = placedPods(pods);
  return { now, own, driver, namespace: found, references, dryRuns, quotas, nodes, placed, shuffleServices };
}

function placedPods(pods: Fetched<readonly KubeResource[]>): ClusterFacts["placed"] {
  if (pods.kind !== "found") return pods;
  if (pods.value.length >= maxListed)
    return { kind: "unknown", reason: `the cluster has ${maxListed} or more running pods` };
  const value = pods.value.flatMap(({ metadata, spec }) => (isPodSpec(spec) ? [{ metadata, spec }] : []));
  return { kind: "found", value };
}

async function fetchReference(client: KubeClient, reference: Reference, namespace: string): Promise<FetchedReference> {
  const { type, name, dataKeys } = reference;
  const scope = type.namespaced ? { namespace } : {};
  const isData = type === resourceTypes.secret || type === resourceTypes.configMap;
  const metadataOnly = isData && dataKeys.length === 0;
  const object = await fetched(client.get({ type, name, ...scope, metadataOnly }).then(withoutValues));
  const isClaim = type === resourceTypes.persistentVolumeClaim;
  return { reference, object, volume: isClaim ? await fetchVolume(client, foundValue(object)?.["spec"]) : undefined };
}

const volumeType: ResourceType = {
  ...{ group: "", version: "v1", kind: "PersistentVolume", plural: "persistentvolumes", namespaced: false },
};

async function fetchVolume(client: KubeClient, claimSpec: unknown): Promise<KubeResource | undefined> {
  const name = isFields(claimSpec) ? claimSpec["volumeName"] : undefined;
  if (typeof name !== "string" || name === "") return undefined;
  return foundValue(await fetched(client.get({ type: volumeType, name })));
}

/** Removes the values of a Secret or ConfigMap: the checks need only the keys. */
function withoutValues(object: KubeResource): KubeResource {
  const { data, binaryData, ...rest } = object;
  const names = [...Object.keys(data ?? {}), ...Object.keys(binaryData ?? {})];
  return { ...rest, data: Object.fromEntries(names.map((name) => [name, ""])) };
}
