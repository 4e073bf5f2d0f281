import type { EndpointSubset } from "kubernetes-types/core/v1.d.ts";
import type { ApiScope, Call } from "../../call.ts";
import { isObject } from "../../json.ts";
import type { PodName } from "../../pod-sessions.ts";
import { badRequest, notFound, serviceUnavailable } from "../../status.ts";
import type { StoredObject } from "../../store.ts";
import { podSpecOf } from "../pod-container.ts";

/** The target of a proxied request. */
export interface ProxyTarget {
  readonly scheme: "http" | "https";
  readonly pod: PodName;
  readonly port: number;
}

type ProxyCall = Pick<Call, "kind" | "namespace" | "name">;

/**
 * Resolves a proxied name, `NAME`, `NAME:PORT` or `SCHEME:NAME:PORT`, of a pod or a service.
 *
 * @throws StatusError 400, 404, or 503 if no pod is ready
 */
export function proxyTarget(api: ApiScope, call: ProxyCall): ProxyTarget {
  const parts = call.name.split(":");
  const [scheme, name = "", port = ""] = parts.length === 3 ? parts : ["", ...parts];
  const isKnown = scheme === "" || scheme === "http" || scheme === "https";
  if (!isKnown || name === "" || parts.length > 3)
    throw badRequest(`invalid ${call.kind.singular} request ${JSON.stringify(call.name)}`);
  const object = api.store.get(call.kind.collection, call.namespace, name);
  if (object === undefined) throw notFound(call.kind, name);
  const endpoint =
    call.kind.plural === "pods" ? podEndpoint(object, port) : serviceEndpoint(api, call, { object, port });
  return { scheme: scheme === "https" ? "https" : "http", ...endpoint };
}

type PodEndpoint = Omit<ProxyTarget, "scheme">;

function podEndpoint(pod: StoredObject, port: string): PodEndpoint {
  const { namespace = "", name } = pod.metadata;
  if (!hasAddress(pod)) throw badRequest("address not allowed");
  const [first] = podSpecOf(pod).containers.flatMap(({ ports = [] }) => ports);
  const number = port === "" ? (first?.containerPort ?? 80) : Number(port);
  if (!Number.isInteger(number) || number < 1 || number > 65_535)
    throw badRequest(`invalid pod request ${JSON.stringify(`${name}:${port}`)}`);
  return { pod: { namespace, pod: name }, port: number };
}

function hasAddress({ status }: StoredObject): boolean {
  return isObject(status) && typeof status["podIP"] === "string" && status["podIP"] !== "";
}

/** Returns a random ready pod behind the service. */
function serviceEndpoint(
  api: ApiScope,
  { namespace = "", name: requestedName }: ProxyCall,
  { object, port }: { readonly object: StoredObject; readonly port: string },
): PodEndpoint {
  const { name } = object.metadata;
  const targetPort = /^[+-]?\d+$/.test(port) ? portName(object, Number(port)) : port;
  const endpoints = api.store.get("endpoints", namespace, name);
  if (endpoints === undefined) throw notFound({ group: "", kind: "Service", plural: "services" }, name);
  const subsets = subsetsOf(endpoints);
  if (subsets.length === 0) throw serviceUnavailable(`no endpoints available for service "${name}"`);
  const candidates = subsets.flatMap(({ addresses = [], ports = [] }): PodEndpoint[] => {
    const target = ports.find((candidate) => (candidate.name ?? "") === targetPort);
    if (target === undefined) return [];
    return addresses.flatMap(({ targetRef }) =>
      targetRef?.kind === "Pod" && targetRef.name !== undefined
        ? [{ pod: { namespace, pod: targetRef.name }, port: target.port }]
        : [],
    );
  });
  const chosen = candidates[Math.floor(api.random.fraction() * candidates.length)];
  if (chosen === undefined) throw serviceUnavailable(`no endpoints available for service "${requestedName}"`);
  return chosen;
}

function portName({ metadata, spec }: StoredObject, number: number): string {
  const ports: unknown = isObject(spec) ? spec["ports"] : undefined;
  const found = (Array.isArray(ports) ? ports : []).find((port) => isObject(port) && port["port"] === number);
  if (!isObject(found)) throw serviceUnavailable(`no service port ${number} found for service "${metadata.name}"`);
  return typeof found["name"] === "string" ? found["name"] : "";
}

function subsetsOf(endpoints: StoredObject | undefined): readonly EndpointSubset[] {
  const subsets: unknown = endpoints?.["subsets"];
  return isSubsets(subsets) ? subsets : [];
}

function isSubsets(value: unknown): value is readonly EndpointSubset[] {
  return Array.isArray(value) && value.every(isObject);
}
