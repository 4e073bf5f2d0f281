import { once } from "node:events";
import { connect } from "node:net";
import type { Duplex } from "node:stream";
import type { ServicePort } from "../../../../../kube/types.ts";
import type { ApiScope } from "../../../call.ts";
import { isArray, isObject, type JsonObject } from "../../../json.ts";
import type { PodName } from "../../../pod-sessions.ts";
import type { StoredObject } from "../../../store.ts";
import type { WebhookService } from "../../../webhook.ts";

/** State and services that connections to services use. */
export type ServiceConnector = Pick<ApiScope, "store" | "random" | "sessions">;

/** Opens a connection to a ready endpoint of a service. @throws Error with Kubernetes' message */
export async function connectToService(connector: ServiceConnector, service: WebhookService): Promise<Duplex> {
  const { store, random, sessions } = connector;
  const { namespace, name, port = 443 } = service;
  const found = store.get("services", namespace, name);
  if (found === undefined) throw new Error(`service "${name}" not found`);
  const { type, externalName, clusterIP, ports } = isObject(found["spec"]) ? found["spec"] : {};
  if (type === "ExternalName") return await connectTo({ host: String(externalName), port });
  if (clusterIP === "None") throw new Error('cannot route to service with ClusterIP "None"');
  const servicePort = (isArray(ports) ? ports.filter(isPort) : []).find((candidate) => candidate.port === port);
  if (servicePort === undefined) throw new Error(`no service port ${port} found for service "${name}"`);
  const endpoints = endpointsOf(connector, service, servicePort.name ?? "");
  const chosen = endpoints[Math.floor(random.fraction() * endpoints.length)];
  if (chosen === undefined) throw new Error(`no endpoints available for service "${name}"`);
  if (chosen.pod === undefined) return await connectTo({ host: chosen.address, port: chosen.port });
  const running = sessions();
  if (running === undefined) throw new Error(`no node runs the pods of service "${name}"`);
  return await running.connect(chosen.pod, chosen.port);
}

/** Opens a connection from this machine's network. Rejects with Node's error. */
export async function connectTo(target: { readonly host: string; readonly port: number }): Promise<Duplex> {
  const socket = connect(target);
  await once(socket, "connect");
  return socket;
}

function isPort(value: unknown): value is ServicePort {
  return isObject(value) && typeof value["port"] === "number";
}

/** An address that serves a service. */
interface Endpoint {
  readonly address: string;
  readonly port: number;
  /** The pod with that address; `undefined` for addresses outside of the cluster. */
  readonly pod: PodName | undefined;
}

const nameLabel = "kubernetes.io/service-name";

/** Returns the ready endpoints of a port: those of the service's slices, or of its Endpoints object. */
function endpointsOf({ store }: ServiceConnector, { namespace, name }: WebhookService, portName: string): Endpoint[] {
  const slices = store
    .list("endpointslices.discovery.k8s.io", namespace)
    .filter(({ metadata }) => metadata.labels?.[nameLabel] === name)
    .flatMap((slice) => sliceEndpoints(slice, namespace, portName));
  if (slices.length > 0) return slices;
  return objects(store.get("endpoints", namespace, name)?.["subsets"]).flatMap((subset) => {
    const port = portNumber(subset["ports"], portName);
    if (port === undefined) return [];
    return objects(subset["addresses"]).map(({ ip, targetRef }) => ({
      ...{ address: String(ip), port, pod: podOf(targetRef, namespace) },
    }));
  });
}

function sliceEndpoints(slice: StoredObject, namespace: string, portName: string): Endpoint[] {
  const port = portNumber(slice["ports"], portName);
  if (port === undefined) return [];
  return objects(slice["endpoints"])
    .filter(({ conditions }) => !isObject(conditions) || conditions["ready"] !== false)
    .map(({ addresses, targetRef }) => ({
      address: String(isArray(addresses) ? addresses[0] : ""),
      port,
      pod: podOf(targetRef, namespace),
    }));
}

function objects(value: unknown): readonly JsonObject[] {
  return isArray(value) ? value.filter(isObject) : [];
}

function portNumber(ports: unknown, portName: string): number | undefined {
  const found = objects(ports).find(({ name = "" }) => name === portName)?.["port"];
  return typeof found === "number" ? found : undefined;
}

function podOf(reference: unknown, namespace: string): PodName | undefined {
  if (!isObject(reference) || reference["kind"] !== "Pod") return undefined;
  return { namespace, pod: String(reference["name"]) };
}
