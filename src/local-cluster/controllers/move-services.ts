import { isArray, isObject } from "../api/json.ts";
import type { Store, StoredObject } from "../api/store.ts";
import { clusterPrefixes, prefixOf } from "../service-ranges.ts";

/** Moves the addresses of services after the API's address changed. */
export function moveServices(store: Store, from: string, to: string): void {
  const [sources, targets] = [clusterPrefixes(from), clusterPrefixes(to)];
  const moved = (address: unknown) => {
    if (typeof address !== "string") return address;
    const prefix = prefixOf(address);
    const index = sources.indexOf(prefix);
    return index < 0 ? address : `${targets[index]}${address.slice(prefix.length)}`;
  };
  const change = (service: StoredObject) => {
    const { spec } = service;
    if (!isObject(spec)) return service;
    const { clusterIP, clusterIPs } = spec;
    const list = isArray(clusterIPs) ? { clusterIPs: clusterIPs.map(moved) } : {};
    const one = clusterIP === undefined ? {} : { clusterIP: moved(clusterIP) };
    return { ...service, spec: { ...spec, ...one, ...list } };
  };
  for (const { metadata } of store.list("services"))
    store.update("services", metadata.namespace, metadata.name, change);
}
