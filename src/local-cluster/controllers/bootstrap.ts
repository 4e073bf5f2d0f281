import type { Clock } from "../../host/host.ts";
import type { ObjectMeta } from "../../kube/types.ts";
import { createBootstrapRoles } from "../api/access/bootstrap-roles.ts";
import type { JsonObject } from "../api/json.ts";
import { accessGroup } from "../api/kinds/access-kinds.ts";
import { apiServiceGroup, apiServiceStatus } from "../api/kinds/api-service.ts";
import type { Kind } from "../api/kinds/kind.ts";
import { kinds } from "../api/kinds/table.ts";
import type { Store } from "../api/store.ts";
import { timestamp } from "../api/timestamp.ts";
import { initialNamespaces } from "./namespaces.ts";

/** Creates the initial objects of a cluster. Its controllers must be running, because they create the defaults of namespaces. */
export function createInitialObjects(
  { store, clock }: { readonly store: Store; readonly clock: Clock },
  api: { readonly address: string; readonly port: number },
): void {
  createBootstrapRoles(store);
  for (const name of initialNamespaces) {
    store.create("namespaces", {
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name, labels: { "kubernetes.io/metadata.name": name } },
      spec: { finalizers: ["kubernetes"] },
      status: { phase: "Active" },
    });
  }
  createSparkAccount(store);
  createApiService(store, api);
  createPriorityClasses(store);
  createLocalApiServices(store, timestamp(clock.now()));
}

/** Priorities of API groups, which order them in discovery. Others have those of the last one. */
const groupPriorities: Readonly<Record<string, number>> = {
  "": 18_000,
  apps: 17_800,
  "events.k8s.io": 17_750,
  "authentication.k8s.io": 17_700,
  "authorization.k8s.io": 17_600,
  autoscaling: 17_500,
  batch: 17_400,
  "certificates.k8s.io": 17_300,
  "networking.k8s.io": 17_200,
  policy: 17_100,
  [accessGroup]: 17_000,
  "storage.k8s.io": 16_800,
  "apiextensions.k8s.io": 16_700,
  "admissionregistration.k8s.io": 16_700,
  "scheduling.k8s.io": 16_600,
  "coordination.k8s.io": 16_500,
  "node.k8s.io": 16_300,
  "discovery.k8s.io": 16_200,
};

/** Creates an APIService for each version of a group that this server serves, as the real one does when it starts. */
function createLocalApiServices(store: Store, time: string): void {
  const versions = new Map(kinds.map((kind) => [apiServiceName(kind), kind]));
  for (const [name, { group, version }] of versions) {
    if (group === apiServiceGroup) continue;
    const spec = {
      ...(group === "" ? {} : { group }),
      groupPriorityMinimum: groupPriorities[group] ?? 16_200,
      version,
      versionPriority: versionPriority({ group, version }),
    };
    store.create(`apiservices.${apiServiceGroup}`, {
      apiVersion: `${apiServiceGroup}/v1`,
      kind: "APIService",
      metadata: { name, labels: { "kube-aggregator.kubernetes.io/automanaged": "onstart" } },
      spec,
      status: apiServiceStatus(spec, time),
    });
  }
}

type GroupVersion = Pick<Kind, "group" | "version">;

function apiServiceName({ group, version }: GroupVersion): string {
  return `${version}.${group}`;
}

function versionPriority({ group, version }: GroupVersion): number {
  if (group === "") return 1;
  return version === "v1" ? 15 : 30;
}

/** Creates a service account for drivers, with permissions to create and watch executors. */
function createSparkAccount(store: Store): void {
  const name = "spark";
  store.create("serviceaccounts", {
    apiVersion: "v1",
    kind: "ServiceAccount",
    metadata: { name, namespace: "default" },
  });
  store.create(`rolebindings.${accessGroup}`, {
    apiVersion: `${accessGroup}/v1`,
    kind: "RoleBinding",
    metadata: { name, namespace: "default" },
    roleRef: { apiGroup: accessGroup, kind: "ClusterRole", name: "edit" },
    subjects: [{ kind: "ServiceAccount", name, namespace: "default" }],
  });
}

/** Creates the service of the API, which pods find as `kubernetes.default.svc`. */
function createApiService(store: Store, { address, port }: { readonly address: string; readonly port: number }): void {
  const labels = { component: "apiserver", provider: "kubernetes" };
  ensure(store, "services", {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "kubernetes", namespace: "default", labels },
    spec: {
      clusterIP: address,
      clusterIPs: [address],
      internalTrafficPolicy: "Cluster",
      ipFamilies: ["IPv4"],
      ipFamilyPolicy: "SingleStack",
      ports: [{ name: "https", port: 443, protocol: "TCP", targetPort: port }],
      sessionAffinity: "None",
      type: "ClusterIP",
    },
    status: { loadBalancer: {} },
  });
  ensure(store, "endpoints", {
    apiVersion: "v1",
    kind: "Endpoints",
    metadata: {
      ...{ name: "kubernetes", namespace: "default" },
      labels: { "endpointslice.kubernetes.io/skip-mirror": "true" },
    },
    subsets: [{ addresses: [{ ip: address }], ports: [{ name: "https", port, protocol: "TCP" }] }],
  });
  ensure(store, "endpointslices.discovery.k8s.io", {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: {
      name: "kubernetes",
      namespace: "default",
      generation: 1,
      labels: { "kubernetes.io/service-name": "kubernetes" },
    },
    addressType: "IPv4",
    endpoints: [{ addresses: [address], conditions: { ready: true } }],
    ports: [{ name: "https", port, protocol: "TCP" }],
  });
}

/** Creates or updates an object: a restored cluster may have another address. */
function ensure(
  store: Store,
  collection: string,
  object: JsonObject & { readonly metadata: ObjectMeta & { readonly name: string } },
): void {
  const { namespace, name } = object.metadata;
  const { metadata: _, ...content } = object;
  if (store.create(collection, object) !== undefined) return;
  store.update(collection, namespace, name, (current) => ({ ...current, ...content }));
}

function createPriorityClasses(store: Store): void {
  const classes = { "system-cluster-critical": 2_000_000_000, "system-node-critical": 2_000_001_000 };
  for (const [name, value] of Object.entries(classes)) {
    store.create("priorityclasses.scheduling.k8s.io", {
      apiVersion: "scheduling.k8s.io/v1",
      kind: "PriorityClass",
      metadata: { name, generation: 1 },
      value,
      preemptionPolicy: "PreemptLowerPriority",
    });
  }
}
