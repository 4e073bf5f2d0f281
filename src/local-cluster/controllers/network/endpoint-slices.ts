import type { ApiScope } from "../../api/call.ts";
import type { StoredObject } from "../../api/store.ts";
import { endpointSlices as collection, sliceService } from "../../pods/service-targets.ts";
import type { StoredService } from "../../pods/stored-object.ts";
import { createObject } from "../create-object.ts";
import { ownedBy } from "../workloads/pods.ts";
import { managedBy, ownSlices } from "./own-slices.ts";
import { byPorts, endpointsOf, type PodEndpoint } from "./service-endpoints.ts";

/** Name of the controller of slices, which marks its own. */
export const sliceController = "endpointslice-controller.k8s.io";

/** Maximum number of endpoints in a slice. */
const maxSliceSize = 100;

/** Writes the endpoints of a service into slices; without endpoints, one empty slice. */
export function writeSlices(api: ApiScope, service: StoredService): void {
  const isAlwaysReady = service.spec?.publishNotReadyAddresses === true;
  const contents = byPorts(endpointsOf(api.store, service)).flatMap((group) =>
    chunks(group).map((endpoints) => ({
      endpoints: endpoints.map((endpoint) => sliceEndpoint(endpoint, isAlwaysReady)),
      ports: endpoints[0]?.ports ?? null,
    })),
  );
  const desired = contents.length === 0 ? [{ endpoints: null, ports: null }] : contents;
  const own = ownSlices(api, sliceController, service.metadata);
  const labels = labelsOf(service);
  for (const [index, content] of desired.entries()) {
    const slice = own[index];
    if (slice === undefined) createSlice(api, service, { labels, ...content });
    else updateSlice(api, slice, { labels, ...content });
  }
  for (const { metadata } of own.slice(desired.length)) {
    api.store.remove(collection, metadata.namespace, metadata.name);
  }
}

function chunks(endpoints: readonly PodEndpoint[]): readonly (readonly PodEndpoint[])[] {
  const count = Math.ceil(endpoints.length / maxSliceSize);
  return Array.from({ length: count }, (_, index) => endpoints.slice(index * maxSliceSize, (index + 1) * maxSliceSize));
}

function sliceEndpoint(endpoint: PodEndpoint, isAlwaysReady: boolean): object {
  const { address, hostname, nodeName, targetRef, isReady, isTerminating } = endpoint;
  return {
    addresses: [address],
    conditions: { ready: isAlwaysReady || (isReady && !isTerminating), serving: isReady, terminating: isTerminating },
    ...(hostname === undefined ? {} : { hostname }),
    targetRef,
    nodeName,
  };
}

/** Returns the service's labels and those that identify its slices. */
function labelsOf({ metadata, spec }: StoredService): Readonly<Record<string, string>> {
  return {
    ...metadata.labels,
    [managedBy]: sliceController,
    [sliceService]: metadata.name,
    ...(spec?.clusterIP === "None" ? { "service.kubernetes.io/headless": "" } : {}),
  };
}

interface SliceContent {
  readonly labels: Readonly<Record<string, string>>;
  readonly endpoints: readonly object[] | null;
  readonly ports: readonly object[] | null;
}

function createSlice(api: ApiScope, service: StoredService, { labels, ...content }: SliceContent): void {
  const { name, namespace } = service.metadata;
  const ownerReferences = ownedBy({ ...service, apiVersion: "v1", kind: "Service" });
  createObject(api, collection, {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: { generateName: `${name}-`, ...(namespace === undefined ? {} : { namespace }), labels, ownerReferences },
    addressType: "IPv4",
    ...content,
  });
}

function updateSlice({ store }: ApiScope, { metadata }: StoredObject, { labels, ...content }: SliceContent): void {
  store.update(collection, metadata.namespace, metadata.name, (slice) => {
    const next = { ...slice, metadata: { ...slice.metadata, labels }, ...content };
    const isChanged =
      JSON.stringify([slice["endpoints"], slice["ports"]]) !== JSON.stringify([next.endpoints, next.ports]);
    const generation = (slice.metadata.generation ?? 0) + Number(isChanged);
    return { ...next, metadata: { ...next.metadata, generation } };
  });
}
