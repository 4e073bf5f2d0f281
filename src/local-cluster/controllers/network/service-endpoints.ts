import type { Store } from "../../api/store.ts";
import { selects } from "../../pods/endpoints.ts";
import { isPod, type StoredPod, type StoredService } from "../../pods/stored-object.ts";
import { isTerminated, isTerminating, readySince } from "../workloads/pods.ts";

/** A port that a pod serves. */
export interface EndpointPort {
  readonly name: string;
  readonly port: number;
  readonly protocol: string;
  readonly appProtocol?: string;
}

/** A pod behind a service. */
export interface PodEndpoint {
  readonly address: string;
  readonly hostname: string | undefined;
  readonly nodeName: string | undefined;
  readonly targetRef: {
    readonly kind: string;
    readonly namespace: string;
    readonly name: string;
    readonly uid: string;
  };
  readonly isReady: boolean;
  readonly isTerminating: boolean;
  readonly ports: readonly EndpointPort[];
}

/** Returns the unfinished pods of a service that have an address on an existing node. */
export function endpointsOf(store: Store, service: StoredService): readonly PodEndpoint[] {
  return store.list("pods", service.metadata.namespace).flatMap((pod): PodEndpoint[] => {
    if (!isPod(pod) || !selects(service, pod) || isTerminated(pod)) return [];
    const address = pod.status?.podIP ?? "";
    const { nodeName, hostname, subdomain } = pod.spec;
    if (address === "" || nodeName === undefined || store.get("nodes", undefined, nodeName) === undefined) return [];
    const { namespace, name, uid } = pod.metadata;
    return [
      {
        ...{ address, nodeName, targetRef: { kind: "Pod", namespace, name, uid } },
        hostname: subdomain === service.metadata.name ? hostname : undefined,
        isReady: readySince(pod) !== undefined,
        isTerminating: isTerminating(pod),
        ports: portsOf(service, pod),
      },
    ];
  });
}

function portsOf({ spec }: StoredService, pod: StoredPod): readonly EndpointPort[] {
  return (spec?.ports ?? []).flatMap(({ name = "", port, targetPort = port, protocol = "TCP", appProtocol }) => {
    const number = typeof targetPort === "number" ? targetPort : namedPort(pod, targetPort, protocol);
    if (number === undefined) return [];
    return [{ name, port: number, protocol, ...(appProtocol === undefined ? {} : { appProtocol }) }];
  });
}

function namedPort({ spec }: StoredPod, name: string, protocol: string): number | undefined {
  const ports = spec.containers.flatMap((container) => container.ports ?? []);
  return ports.find((port) => port.name === name && (port.protocol ?? "TCP") === protocol)?.containerPort;
}

/** Groups endpoints by their ports. */
export function byPorts(endpoints: readonly PodEndpoint[]): readonly (readonly PodEndpoint[])[] {
  const groups = new Map<string, PodEndpoint[]>();
  for (const endpoint of endpoints) {
    const key = JSON.stringify(endpoint.ports);
    groups.set(key, [...(groups.get(key) ?? []), endpoint]);
  }
  return [...groups.values()];
}
