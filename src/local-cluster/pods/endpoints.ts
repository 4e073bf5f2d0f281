import { isFinalPhase } from "../../kube/pod-phase.ts";
import type { Service } from "../../kube/types.ts";
import type { Store, StoredObject } from "../api/store.ts";
import { hostnameOf, type ServiceName } from "./hosts-file.ts";
import { isPod, isService, type StoredPod } from "./stored-pod.ts";

/** A pod behind a service. */
export interface Endpoint {
  readonly address: string;
  readonly pod: StoredPod;
}

type StoredService = StoredObject & Service;

/** The pods that a service selects and that serve: those that are ready, or all with `publishNotReadyAddresses`. */
export function readyEndpoints(
  store: Store,
  service: StoredService,
  addressOf: AddressOf,
): readonly Endpoint[] {
  const { selector, publishNotReadyAddresses = false } = service.spec ?? {};
  const terms = Object.entries(selector ?? {});
  if (terms.length === 0) return [];
  return store.list("pods", service.metadata.namespace).flatMap((pod): Endpoint[] => {
    if (!isPod(pod) || !terms.every(([key, value]) => pod.metadata.labels?.[key] === value)) return [];
    const address = addressOf(pod);
    const isServing = publishNotReadyAddresses || serves(pod);
    return address !== undefined && isServing ? [{ address, pod }] : [];
  });
}

/** The address that a pod has or is about to run with. */
export type AddressOf = (pod: StoredPod) => string | undefined;

/**
 * Ready, or about to be: a container without a readiness probe is ready as soon as it runs, and a program that asks
 * for its own name in its first second must find it, for Java remembers for ten that there was none.
 */
function serves({ metadata, spec, status }: StoredPod): boolean {
  if (metadata.deletionTimestamp !== undefined) return false;
  const phase = status?.phase;
  if (isFinalPhase(phase)) return false;
  const isReady =
    status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True") === true;
  return isReady || spec.containers.every(({ readinessProbe }) => readinessProbe === undefined);
}

/** Every service's names and what they lead to; the API's own service leads to the API. */
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
