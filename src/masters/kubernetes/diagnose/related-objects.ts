import { apiVersionOf, type ResourceType, resourceTypes } from "../../../kube/resources.ts";
import type { KubeResource, Pod } from "../../../kube/types.ts";
import { isFields } from "../../../values/fields.ts";
import type { WatchedPod } from "../watch/latest-pod.ts";
import { referencedObjects } from "./referenced-objects.ts";

/** Objects that affect a driver: nodes, quotas, limits, claims, ConfigMaps, Secrets and storage classes. */
export interface RelatedObjects {
  /** Reads the objects; returns the last result if it is less than 30 s old. */
  readonly read: (pod: Pod) => Promise<readonly KubeResource[]>;
}

const rereadMs = 30_000;
/** Limit of each list: enough nodes to explain a scheduling failure, without loading clusters of thousands. */
const maxListed = 50;
const maxNamed = 10;

type Read = () => Promise<readonly KubeResource[]>;

/** Creates a reader. It omits objects that do not exist or that the account must not read. */
export function relatedObjects(call: Pick<WatchedPod, "client" | "clock" | "signal">): RelatedObjects {
  const { client, clock, signal } = call;
  let last: readonly KubeResource[] = [];
  let readAt = Number.NEGATIVE_INFINITY;
  const list =
    (type: ResourceType, namespace?: string): Read =>
    async () => {
      const scope = namespace === undefined ? {} : { namespace };
      const { items } = await client.list({ type, ...scope, limit: maxListed, signal });
      return items.map((item) => typed(item, type));
    };
  const get =
    (type: ResourceType, name: string, namespace?: string, metadataOnly = false): Read =>
    async () => {
      const scope = namespace === undefined ? {} : { namespace };
      return [typed(await client.get({ type, name, ...scope, metadataOnly, signal }), type)];
    };
  return {
    async read(pod) {
      if (clock.monotonic() - readAt < rereadMs) return last;
      readAt = clock.monotonic();
      const { namespace = "" } = pod.metadata ?? {};
      const { nodeName, imagePullSecrets = [] } = pod.spec ?? {};
      const pullSecrets = imagePullSecrets.map(({ name }) => ({ kind: resourceTypes.secret.kind, name }));
      const references = [...referencedObjects(pod), ...pullSecrets];
      const readNamed = (type: ResourceType, metadataOnly: boolean) =>
        firstNames(references.filter(({ kind }) => kind === type.kind).map(({ name }) => name)).map((name) =>
          get(type, name, namespace, metadataOnly),
        );
      const first = await readAll([
        nodeName === undefined ? list(resourceTypes.node) : get(resourceTypes.node, nodeName),
        list(resourceTypes.resourceQuota, namespace),
        list(resourceTypes.limitRange, namespace),
        ...readNamed(resourceTypes.persistentVolumeClaim, false),
        ...readNamed(resourceTypes.configMap, true),
        ...readNamed(resourceTypes.secret, true),
      ]);
      const classes = storageClassesOf(first).map((name) => get(resourceTypes.storageClass, name));
      last = [...first, ...(await readAll(classes))];
      return last;
    },
  };
}

async function readAll(reads: readonly Read[]): Promise<readonly KubeResource[]> {
  const results = await Promise.allSettled(reads.map((read) => read()));
  return results.flatMap((result) => (result.status === "fulfilled" ? result.value : []));
}

/** Adds the kind, which items of lists lack and metadata-only responses replace by `PartialObjectMetadata`. */
function typed(object: KubeResource, type: ResourceType): KubeResource {
  return { ...object, apiVersion: apiVersionOf(type), kind: type.kind };
}

function firstNames(names: readonly (string | undefined)[]): readonly string[] {
  return [...new Set(names.flatMap((name) => name ?? []))].slice(0, maxNamed);
}

function storageClassesOf(objects: readonly KubeResource[]): readonly string[] {
  const claims = objects.filter(({ kind }) => kind === resourceTypes.persistentVolumeClaim.kind);
  const names = claims.map(({ spec }) => (isFields(spec) ? spec["storageClassName"] : undefined));
  return firstNames(names.map((name) => (typeof name === "string" ? name : undefined)));
}
