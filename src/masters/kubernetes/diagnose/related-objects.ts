import type { Clock } from "../../../host/host.ts";
import { apiVersionOf, type ResourceType, resourceTypes } from "../../../kube/resources.ts";
import type { KubeResource, Pod } from "../../../kube/types.ts";
import type { KubeClient } from "../../../kube-client/client.ts";

/** What stands around a driver: read when it is wanted, and again only after a while. */
export interface RelatedObjects {
  readonly read: (pod: Pod) => Promise<readonly KubeResource[]>;
}

/** The way to them. */
export interface RelatedObjectsCall {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

const rereadMs = 30_000;
/** Of nodes and the like: enough to see why a pod finds no place, and no burden where there are thousands. */
const mostListed = 50;
const mostNamed = 10;

type Read = () => Promise<readonly KubeResource[]>;

/** Has read nothing yet. What may not be read, or does not exist, is left out. */
export function relatedObjects({ client, clock, signal }: RelatedObjectsCall): RelatedObjects {
  let last: readonly KubeResource[] = [];
  let readAt = Number.NEGATIVE_INFINITY;
  const list =
    (type: ResourceType, namespace?: string): Read =>
    async () => {
      const place = namespace === undefined ? {} : { namespace };
      const { items } = await client.list({ type, ...place, limit: mostListed, signal });
      return items.map((item) => typed(item, type));
    };
  const get =
    (type: ResourceType, name: string, namespace?: string, metadataOnly = false): Read =>
    async () => {
      const place = namespace === undefined ? {} : { namespace };
      return [typed(await client.get({ type, name, ...place, metadataOnly, signal }), type)];
    };
  return {
    async read(pod) {
      if (clock.monotonic() - readAt < rereadMs) return last;
      readAt = clock.monotonic();
      const { namespace = "" } = pod.metadata ?? {};
      const { nodeName } = pod.spec ?? {};
      const { claims, maps, secrets } = namesIn(pod);
      const first = await readAll([
        nodeName === undefined ? list(resourceTypes.node) : get(resourceTypes.node, nodeName),
        list(resourceTypes.resourceQuota, namespace),
        list(resourceTypes.limitRange, namespace),
        ...claims.map((name) => get(resourceTypes.persistentVolumeClaim, name, namespace)),
        ...maps.map((name) => get(resourceTypes.configMap, name, namespace, true)),
        ...secrets.map((name) => get(resourceTypes.secret, name, namespace, true)),
      ]);
      const classes = storageClassesOf(first).map((name) => get(resourceTypes.storageClass, name));
      last = [...first, ...(await readAll(classes))];
      return last;
    },
  };
}

async function readAll(reads: readonly Read[]): Promise<readonly KubeResource[]> {
  const found = await Promise.allSettled(reads.map((read) => read()));
  return found.flatMap((outcome) => (outcome.status === "fulfilled" ? outcome.value : []));
}

/** Items of a list do not say what they are, and metadata alone calls itself so. */
function typed(object: KubeResource, type: ResourceType): KubeResource {
  return { ...object, apiVersion: apiVersionOf(type), kind: type.kind };
}

function namesIn({ spec }: Pod) {
  const volumes = spec?.volumes ?? [];
  const containers = [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])];
  const variables = containers.flatMap(({ env = [] }) => env.map(({ valueFrom = {} }) => valueFrom));
  const sources = containers.flatMap(({ envFrom = [] }) => envFrom);
  return {
    claims: some(volumes.map(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName)),
    maps: some([
      ...volumes.map(({ configMap }) => configMap?.name),
      ...variables.map(({ configMapKeyRef }) => configMapKeyRef?.name),
      ...sources.map(({ configMapRef }) => configMapRef?.name),
    ]),
    secrets: some([
      ...volumes.map(({ secret }) => secret?.secretName),
      ...variables.map(({ secretKeyRef }) => secretKeyRef?.name),
      ...sources.map(({ secretRef }) => secretRef?.name),
      ...(spec?.imagePullSecrets ?? []).map(({ name }) => name),
    ]),
  };
}

function some(names: readonly (string | undefined)[]): readonly string[] {
  return [...new Set(names.flatMap((name) => name ?? []))].slice(0, mostNamed);
}

function storageClassesOf(objects: readonly KubeResource[]): readonly string[] {
  return some(
    objects.map(({ kind, spec }) =>
      kind === resourceTypes.persistentVolumeClaim.kind && hasStorageClass(spec)
        ? spec.storageClassName
        : undefined,
    ),
  );
}

function hasStorageClass(spec: unknown): spec is { readonly storageClassName: string } {
  return (
    typeof spec === "object" &&
    spec !== null &&
    "storageClassName" in spec &&
    typeof spec.storageClassName === "string"
  );
}
