import type { ApiScope } from "../../api/call.ts";
import { isSame } from "../../api/json.ts";
import type { StoredService } from "../../pods/stored-object.ts";
import { createObject } from "../create-object.ts";
import { byPorts, endpointsOf, type PodEndpoint } from "./service-endpoints.ts";

const collection = "endpoints";
const managedBy = "endpoints.kubernetes.io/managed-by";
const component = "endpoint-controller";

/** Writes the endpoints of a service into its Endpoints object, which older clients read. */
export function writeEndpoints(api: ApiScope, service: StoredService): void {
  const { name, namespace, labels: own } = service.metadata;
  const isAlwaysReady = service.spec?.publishNotReadyAddresses === true;
  const labels = {
    ...own,
    [managedBy]: component,
    ...(service.spec?.clusterIP === "None" ? { "service.kubernetes.io/headless": "" } : {}),
  };
  const endpoints = endpointsOf(api.store, service).filter((endpoint) => isAlwaysReady || !endpoint.isTerminating);
  const subsets = byPorts(endpoints).map((group) => {
    const isServing = (endpoint: PodEndpoint) => isAlwaysReady || endpoint.isReady;
    const ready = group.filter(isServing).map(addressOf);
    const others = group.filter((endpoint) => !isServing(endpoint)).map(addressOf);
    return {
      ...(ready.length === 0 ? {} : { addresses: ready }),
      ...(others.length === 0 ? {} : { notReadyAddresses: others }),
      ports: (group[0]?.ports ?? []).map(({ name: portName, ...port }) =>
        portName === "" ? port : { name: portName, ...port },
      ),
    };
  });
  const content = subsets.length === 0 ? {} : { subsets };
  const current = api.store.get(collection, namespace, name);
  if (current === undefined) {
    const metadata = { name, ...(namespace === undefined ? {} : { namespace }), labels };
    createObject(api, collection, { apiVersion: "v1", kind: "Endpoints", metadata, ...content });
    return;
  }
  api.store.update(collection, namespace, name, ({ subsets: before, ...rest }) => ({
    ...rest,
    metadata: { ...rest.metadata, labels },
    ...(isSame(before, content.subsets) ? (before === undefined ? {} : { subsets: before }) : content),
  }));
}

/** Deletes the Endpoints object of a deleted service. */
export function removeEndpoints({ store }: ApiScope, namespace: string | undefined, name: string): void {
  if (store.get(collection, namespace, name)?.metadata.labels?.[managedBy] === component)
    store.remove(collection, namespace, name);
}

function addressOf({ address, hostname, nodeName, targetRef }: PodEndpoint): object {
  return {
    ip: address,
    ...(hostname === undefined ? {} : { hostname }),
    ...(nodeName === undefined ? {} : { nodeName }),
    targetRef,
  };
}
