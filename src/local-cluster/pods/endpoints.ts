import { isFinalPhase } from "../../kube/pod-phase.ts";
import type { Store, StoredObject } from "../api/store.ts";
import { hostnameOf, type ServiceName } from "./hosts-file.ts";
import { isPod, isService, type StoredPod, type StoredService } from "./stored-object.ts";

/** Pod that serves a service. */
export interface Endpoint {
  readonly address: string;
  readonly pod: StoredPod;
}

/** Lists the pods that a service selects and that serve: the ready ones, or all with `publishNotReadyAddresses`. */
export function readyEndpoints(store: Store, service: StoredService, addressOf: AddressOf): readonly Endpoint[] {
  const isAlwaysReady = service.spec?.publishNotReadyAddresses === true;
  return store.list("pods", service.metadata.namespace).flatMap((pod): Endpoint[] => {
    if (!isPod(pod) || !selects(service, pod)) return [];
    const address = addressOf(pod);
    return address !== undefined && (isAlwaysReady || serves(pod)) ? [{ address, pod }] : [];
  });
}

/** Returns whether a service selects a pod. */
export function selects({ spec }: StoredService, { metadata }: StoredObject): boolean {
  const terms = Object.entries(spec?.selector ?? {});
  return terms.length > 0 && terms.every(([key, value]) => metadata.labels?.[key] === value);
}

/** Returns the address that a pod has or is about to run with. */
export type AddressOf = (pod: StoredPod) => string | undefined;

/**
 * Returns whether a pod is ready or about to be: a container without a readiness probe is ready as soon as it runs. A
 * program that resolves its own name in its first second must find it, because Java caches a failed lookup for 10 s.
 */
function serves({ metadata, spec, status }: StoredPod): boolean {
  if (metadata.deletionTimestamp !== undefined) return false;
  const phase = status?.phase;
  if (isFinalPhase(phase)) return false;
  const isReady = status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True") === true;
  return isReady || spec.containers.every(({ readinessProbe }) => readinessProbe === undefined);
}

/** Lists the names and addresses of all services; the API's own service has the API's address. */
export function serviceNames(store: Store, addressOf: AddressOf, apiAddress: string): readonly ServiceName[] {
  const others = store
    .list("services")
    .filter(isService)
    .filter(({ metadata }) => metadata.namespace !== "default" || metadata.name !== "kubernetes")
    .map((service) => serviceName(store, service, addressOf));
  return [{ namespace: "default", name: "kubernetes", addresses: [apiAddress], hosts: [] }, ...others];
}

function serviceName(store: Store, service: StoredService, addressOf: AddressOf): ServiceName {
  const { name, namespace = "default" } = service.metadata;
  const clusterIp = service.spec?.clusterIP ?? "";
  const isHeadless = clusterIp === "" || clusterIp === "None";
  const endpoints = isHeadless ? readyEndpoints(store, service, addressOf) : [];
  return {
    namespace,
    name,
    addresses: isHeadless ? endpoints.map(({ address }) => address) : [clusterIp],
    hosts: endpoints
      .filter(({ pod }) => pod.spec.hostname !== undefined && pod.spec.subdomain === name)
      .map(({ pod, address }) => ({ hostname: hostnameOf(pod), address })),
  };
}
