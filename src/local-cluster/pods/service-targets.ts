import type { EndpointSlice } from "kubernetes-types/discovery/v1.d.ts";
import type { ServicePort } from "../../kube/types.ts";
import type { Store, StoredObject } from "../api/store.ts";
import { type AddressOf, readyEndpoints } from "./endpoints.ts";
import type { Endpoint } from "./network/listening-sockets.ts";
import type { StoredPod, StoredService } from "./stored-object.ts";

/** Collection of EndpointSlices. */
export const endpointSlices = "endpointslices.discovery.k8s.io";

/** Label with the service of an EndpointSlice. */
export const sliceService = "kubernetes.io/service-name";

/**
 * Lists the addresses and ports that serve a port of a service: the ready pods that it selects, or else the ready endpoints of its
 * EndpointSlices, which other programs maintain.
 */
export function serviceTargets(
  { store, addressOf }: { readonly store: Store; readonly addressOf: AddressOf },
  service: StoredService,
  servicePort: ServicePort,
): readonly Endpoint[] {
  if (Object.keys(service.spec?.selector ?? {}).length === 0) return sliceTargets(store, service, servicePort);
  return readyEndpoints(store, service, addressOf).flatMap(({ address, pod }) => {
    const port = targetPort(servicePort, pod);
    return port === undefined ? [] : [{ address, port }];
  });
}

function sliceTargets(
  store: Store,
  { metadata }: StoredService,
  { name = "", protocol = "TCP" }: ServicePort,
): readonly Endpoint[] {
  const slices = store
    .list(endpointSlices, metadata.namespace)
    .filter((slice) => slice.metadata.labels?.[sliceService] === metadata.name)
    .filter(isIpv4Slice);
  return slices.flatMap(({ endpoints, ports = [] }) => {
    const ready = endpoints.filter(({ conditions }) => conditions?.ready !== false);
    const matching = ports.filter((port) => (port.name ?? "") === name && (port.protocol ?? "TCP") === protocol);
    return matching.flatMap(({ port }) =>
      port === undefined ? [] : ready.flatMap(({ addresses }) => addresses.map((address) => ({ address, port }))),
    );
  });
}

function isIpv4Slice(slice: StoredObject): slice is StoredObject & EndpointSlice {
  return slice["addressType"] === "IPv4" && Array.isArray(slice["endpoints"]);
}

/** Resolves a target port given by number or by its name in the pod's containers. */
export function targetPort({ port, targetPort: target }: ServicePort, { spec }: StoredPod): number | undefined {
  if (target === undefined || target === 0 || target === "") return port;
  if (typeof target === "number") return target;
  const ports = spec.containers.flatMap((container) => container.ports ?? []);
  return ports.find(({ name }) => name === target)?.containerPort;
}
