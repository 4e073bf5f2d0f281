import { isIP } from "node:net";
import type { EndpointAddress, EndpointPort, EndpointSubset } from "kubernetes-types/core/v1.d.ts";
import type { ApiScope } from "../../api/call.ts";
import { isArray, isObject, isSame } from "../../api/json.ts";
import type { StoredObject } from "../../api/store.ts";
import { endpointSlices as collection, sliceService } from "../../pods/service-targets.ts";
import { type Controller, findByKey, keyOf, startReconciler } from "../controller.ts";
import { createObject } from "../create-object.ts";
import { ownedBy } from "../workloads/pods.ts";
import { managedBy, ownSlices } from "./own-slices.ts";

const component = "endpointslicemirroring-controller.k8s.io";

/** Maximum number of addresses of a subset that are mirrored. */
const maxAddresses = 1_000;

type EndpointsObject = StoredObject & { readonly subsets?: readonly EndpointSubset[] };

/**
 * Copies Endpoints that were not made for a service's selector to EndpointSlices.
 *
 * Source: Kubernetes 1.35, pkg/controller/endpointslicemirroring.
 */
export const startEndpointsMirroring: Controller = (api) =>
  startReconciler(api, {
    observe({ collection: changed, object }, add) {
      if (changed === "services" || changed === "endpoints") add(keyOf(object));
      if (changed !== collection || object.metadata.labels?.[managedBy] !== component) return;
      add(`${object.metadata.namespace}/${object.metadata.labels[sliceService]}`);
    },
    work(key) {
      const endpoints = findByKey(api.store, "endpoints", key);
      const service = findByKey(api.store, "services", key);
      const [namespace, name = ""] = key.split("/");
      const isMirrored =
        endpoints !== undefined && isCustom(endpoints) && service !== undefined && !hasSelector(service);
      const desired = isMirrored ? slicesOf(api, endpoints) : [];
      writeSlices(api, ownSlices(api, component, { namespace, name }), { endpoints, desired });
    },
  });

/** Whether Endpoints are neither skipped nor a lock for leader election. */
function isCustom(endpoints: StoredObject): endpoints is EndpointsObject {
  const { metadata } = endpoints;
  const isSkipped = metadata.labels?.["endpointslice.kubernetes.io/skip-mirror"] === "true";
  return !isSkipped && metadata.annotations?.["control-plane.alpha.kubernetes.io/leader"] === undefined;
}

function hasSelector({ spec }: StoredObject): boolean {
  const selector = isObject(spec) ? spec["selector"] : undefined;
  return isObject(selector) && Object.keys(selector).length > 0;
}

/** Content of a slice. */
interface Slice {
  readonly addressType: string;
  readonly endpoints: readonly object[];
  readonly ports: readonly object[];
}

/** Returns one slice for each subset and address family. */
function slicesOf(api: ApiScope, endpoints: EndpointsObject): readonly Slice[] {
  let skipped = 0;
  let invalid = 0;
  const slices = subsetsOf(endpoints).flatMap(({ addresses = [], notReadyAddresses = [], ports = [] }) => {
    const all = [
      ...addresses.map((address) => ({ address, isReady: true })),
      ...notReadyAddresses.map((address) => ({ address, isReady: false })),
    ];
    const valid = all.filter(({ address }) => isIP(address.ip) !== 0);
    const kept = valid.slice(0, maxAddresses);
    invalid += all.length - valid.length;
    skipped += valid.length - kept.length;
    return ["IPv4", "IPv6"].flatMap((addressType) => {
      const family = kept.filter(({ address }) => isIP(address.ip) === (addressType === "IPv4" ? 4 : 6));
      if (family.length === 0) return [];
      return [{ addressType, endpoints: family.map(sliceEndpoint), ports: ports.map(slicePort) }];
    });
  });
  const record = (reason: string, message: string) =>
    api.events.record(endpoints, {
      type: "Warning",
      reason,
      message,
      component: "endpoint-slice-mirroring-controller",
    });
  if (invalid > 0)
    record("InvalidIPAddress", `Skipped ${invalid} invalid IP addresses when mirroring to EndpointSlices`);
  const limit = `A max of ${maxAddresses} addresses can be mirrored to EndpointSlices per Endpoints subset`;
  if (skipped > 0) record("TooManyAddressesToMirror", `${limit}. ${invalid + skipped} addresses were skipped`);
  return slices;
}

/** Returns the subsets; those with the same ports are united. */
function subsetsOf({ subsets = [] }: EndpointsObject): readonly EndpointSubset[] {
  const united = new Map<string, EndpointSubset>();
  for (const subset of isArray(subsets) ? subsets : []) {
    const key = JSON.stringify(subset.ports ?? []);
    const known = united.get(key);
    united.set(key, {
      ...subset,
      addresses: [...(known?.addresses ?? []), ...(subset.addresses ?? [])],
      notReadyAddresses: [...(known?.notReadyAddresses ?? []), ...(subset.notReadyAddresses ?? [])],
    });
  }
  return [...united.values()];
}

function sliceEndpoint({ address, isReady }: { readonly address: EndpointAddress; readonly isReady: boolean }): object {
  const { ip, hostname = "", nodeName, targetRef } = address;
  return {
    addresses: [ip],
    conditions: { ready: isReady },
    ...(hostname === "" ? {} : { hostname }),
    ...(targetRef === undefined ? {} : { targetRef }),
    ...(nodeName === undefined ? {} : { nodeName }),
  };
}

function slicePort({ name = "", port, protocol = "TCP", appProtocol }: EndpointPort): object {
  return { name, port, protocol, ...(appProtocol === undefined ? {} : { appProtocol }) };
}

function writeSlices(
  api: ApiScope,
  own: readonly StoredObject[],
  { endpoints, desired }: { readonly endpoints: StoredObject | undefined; readonly desired: readonly Slice[] },
): void {
  const unused = [...own];
  const take = (slice: Slice) => {
    const isMatch = (one: StoredObject) =>
      one["addressType"] === slice.addressType && isSame(one["ports"] ?? [], slice.ports);
    const index = unused.findIndex(isMatch);
    return index < 0 ? undefined : unused.splice(index, 1)[0];
  };
  for (const slice of desired) if (endpoints !== undefined) writeSlice(api, endpoints, { slice, current: take(slice) });
  for (const { metadata } of unused) api.store.remove(collection, metadata.namespace, metadata.name);
}

const excludedAnnotations = [
  "endpoints.kubernetes.io/last-change-trigger-time",
  "kubectl.kubernetes.io/last-applied-configuration",
];

function writeSlice(
  api: ApiScope,
  endpoints: StoredObject,
  { slice, current }: { readonly slice: Slice; readonly current: StoredObject | undefined },
): void {
  const { name, namespace = "", labels: ownLabels, annotations: all = {} } = endpoints.metadata;
  const copied = Object.entries(all).filter(([key]) => !excludedAnnotations.includes(key));
  const labels = { ...ownLabels, [sliceService]: name, [managedBy]: component };
  const annotations = copied.length === 0 ? {} : { annotations: Object.fromEntries(copied) };
  if (current === undefined) {
    const ownerReferences = ownedBy({ ...endpoints, apiVersion: "v1", kind: "Endpoints" });
    const metadata = { generateName: `${name}-`, namespace, labels, ...annotations, ownerReferences };
    createObject(api, collection, { apiVersion: "discovery.k8s.io/v1", kind: "EndpointSlice", metadata, ...slice });
    return;
  }
  api.store.update(collection, namespace, current.metadata.name, (stored) => {
    const { annotations: _, ...rest } = stored.metadata;
    const isChanged = !isSame(stored["endpoints"] ?? [], slice.endpoints);
    const generation = (rest.generation ?? 0) + Number(isChanged);
    return { ...stored, ...slice, metadata: { ...rest, labels, ...annotations, generation } };
  });
}
