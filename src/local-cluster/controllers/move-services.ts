import { isArray, isObject } from "../api/json.ts";
import type { Store, StoredObject } from "../api/store.ts";

/**
 * Moves service addresses to another /24, after the cluster's address changed. @param from and `to` are prefixes such as
 * `127.90.0.`
 */
export function moveServices(store: Store, from: string, to: string): void {
  const moved = (address: unknown) =>
    typeof address === "string" && address.startsWith(from) ? `${to}${address.slice(from.length)}` : address;
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
