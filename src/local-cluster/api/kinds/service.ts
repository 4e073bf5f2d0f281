import type { LoadBalancerStatus, ServiceSpec } from "kubernetes-types/core/v1.d.ts";
import type { Draft } from "../object.ts";
import { invalid } from "../status.ts";
import { forbiddenField, invalidValue } from "../validation/field-error.ts";
import { dns1035Label } from "../validation/names.ts";
import { ipFault } from "../validation/numbers.ts";
import {
  addressChangeErrors,
  balancerStatusErrors,
  requestedAddressErrors,
  serviceErrors,
  warnOfService,
} from "../validation/service.ts";
import { portTaken } from "./addresses.ts";
import type { RuleScope, Rules } from "./rules.ts";

type ServiceObject = Draft & {
  spec: ServiceSpec & { ipFamilies?: string[]; ipFamilyPolicy?: string };
  status: { loadBalancer?: LoadBalancerStatus };
};

const kind = { group: "", kind: "Service", plural: "services" };

/** The rules of Services, which allocate addresses and node ports. */
export const serviceRules: Rules<ServiceObject> = {
  name: dns1035Label,
  hasStatus: true,
  createsOnUpdate: true,
  showsDeleted: true,
  fill({ spec, status }) {
    fillService(spec);
    for (const ingress of ingressOf(status)) if (ingress.ip !== undefined) ingress.ipMode ??= "VIP";
  },
  prepare(service, scope) {
    service.status = { loadBalancer: {} };
    allocate(service, scope);
  },
  prepareUpdate(service, old, scope) {
    keepAllocated(service.spec, old.spec);
    if (service.spec.type !== "LoadBalancer") removeBalancerFields(service, old);
    allocate(service, scope, old);
  },
  validate: ({ spec }) => serviceErrors(spec),
  validateStatus: ({ status, spec }) => balancerStatusErrors(spec, ingressOf(status)),
  warn: ({ spec }) => warnOfService(spec),
  selectable: {
    "spec.clusterIP": ({ spec }) => spec.clusterIP ?? "",
    "spec.type": ({ spec }) => spec.type ?? "",
  },
  validateUpdate: ({ spec }, old) => [...addressChangeErrors(spec, old.spec), ...serviceErrors(spec)],
};

/** Removes the fields of load balancers when the type changes, unless the client has just written them. */
function removeBalancerFields({ spec, status }: ServiceObject, old: ServiceObject): void {
  status.loadBalancer = {};
  if (spec.allocateLoadBalancerNodePorts === old.spec.allocateLoadBalancerNodePorts)
    delete spec.allocateLoadBalancerNodePorts;
  if (spec.healthCheckNodePort === old.spec.healthCheckNodePort) delete spec.healthCheckNodePort;
  if (spec.loadBalancerClass === old.spec.loadBalancerClass) delete spec.loadBalancerClass;
}

type Ingress = NonNullable<LoadBalancerStatus["ingress"]>;

function ingressOf({ loadBalancer }: ServiceObject["status"]): Ingress {
  return loadBalancer?.ingress ?? [];
}

function fillService(spec: ServiceObject["spec"]): void {
  spec.type ??= "ClusterIP";
  spec.sessionAffinity ??= "None";
  for (const port of spec.ports ?? []) {
    port.protocol ??= "TCP";
    if (port.targetPort === 0 || port.targetPort === "" || port.targetPort === undefined) port.targetPort = port.port;
  }
  if (spec.sessionAffinity === "ClientIP") spec.sessionAffinityConfig ??= { clientIP: { timeoutSeconds: 10_800 } };
  if (spec.type !== "ExternalName") spec.internalTrafficPolicy ??= "Cluster";
  const isOpen = spec.type === "NodePort" || spec.type === "LoadBalancer";
  if (isOpen || ((spec.externalIPs ?? []).length > 0 && spec.type !== "ExternalName"))
    spec.externalTrafficPolicy ??= "Cluster";
  // Affinity settings have no effect without affinity.
  if (spec.sessionAffinity === "None") delete spec.sessionAffinityConfig;
  if (spec.type === "LoadBalancer") spec.allocateLoadBalancerNodePorts ??= true;
}

/** Keeps allocated addresses and ports that an update omits, and releases those that its type does not use. */
function keepAllocated(spec: ServiceObject["spec"], old: ServiceObject["spec"]): void {
  if (spec.type === "ExternalName") {
    delete spec.clusterIP;
    delete spec.clusterIPs;
    delete spec.ipFamilies;
    delete spec.ipFamilyPolicy;
    delete spec.internalTrafficPolicy;
  } else {
    spec.clusterIP ??= old.clusterIP ?? "";
    if (old.clusterIP !== undefined && spec.clusterIP === old.clusterIP) spec.clusterIPs ??= old.clusterIPs ?? [];
    if (spec.ipFamilies === undefined && old.ipFamilies !== undefined) spec.ipFamilies = old.ipFamilies;
    if (spec.ipFamilyPolicy === undefined && old.ipFamilyPolicy !== undefined) spec.ipFamilyPolicy = old.ipFamilyPolicy;
  }
  // A client that patches one of the two fields changes both.
  if (spec.clusterIP !== old.clusterIP && spec.clusterIPs?.[0] === old.clusterIP) {
    if (spec.clusterIP === undefined || spec.clusterIP === "") delete spec.clusterIPs;
    else spec.clusterIPs = [spec.clusterIP];
  }
  const hasNodePorts = spec.type === "NodePort" || spec.type === "LoadBalancer";
  const hadNodePorts = old.type === "NodePort" || old.type === "LoadBalancer";
  // Of equal ports, the first one counts.
  const portsBefore = new Map(old.ports?.toReversed().map((port) => [`${port.port}/${port.protocol ?? "TCP"}`, port]));
  for (const port of spec.ports ?? []) {
    const before = portsBefore.get(`${port.port}/${port.protocol}`);
    if (hasNodePorts && before?.nodePort !== undefined) port.nodePort ??= before.nodePort;
    if (!hasNodePorts && hadNodePorts && before?.nodePort === port.nodePort) delete port.nodePort;
  }
  if (!hasNodePorts && (spec.externalIPs ?? []).length === 0) delete spec.externalTrafficPolicy;
}

function allocate(service: ServiceObject, { addresses }: RuleScope, old?: ServiceObject): void {
  const { spec } = service;
  const name = service.metadata.name ?? "";
  const errors = old === undefined ? requestedAddressErrors(spec) : [];
  if (errors.length > 0) throw invalid(kind, name, errors);
  if (spec.type !== "ExternalName") {
    allocateIp(service, { addresses }, old);
    if (spec.clusterIP === "None" && spec.selector === undefined && spec.ipFamilies === undefined) {
      spec.ipFamilies = ["IPv4", "IPv6"];
      spec.ipFamilyPolicy ??= "RequireDualStack";
    }
    spec.ipFamilies ??= ["IPv4"];
    spec.ipFamilyPolicy ??= "SingleStack";
  }
  if (spec.type !== "NodePort" && spec.type !== "LoadBalancer") return;
  const reserved = new Set<number>();
  if (spec.allocateLoadBalancerNodePorts !== false || spec.type !== "LoadBalancer")
    allocateNodePorts(service, { addresses, reserved, old });
  if (spec.type !== "LoadBalancer" || spec.externalTrafficPolicy !== "Local") return;
  const checkPort = spec.healthCheckNodePort ?? old?.spec.healthCheckNodePort ?? addresses.freeNodePort(reserved);
  if (checkPort !== undefined) spec.healthCheckNodePort = checkPort;
}

interface PortAllocation {
  readonly addresses: RuleScope["addresses"];
  /** Ports that this service has been given. */
  readonly reserved: Set<number>;
  readonly old: ServiceObject | undefined;
}

function allocateNodePorts(service: ServiceObject, { addresses, reserved, old }: PortAllocation): void {
  const { spec } = service;
  const name = service.metadata.name ?? "";
  const known = new Set((old?.spec.ports ?? []).map(({ nodePort }) => nodePort));
  /** Node ports by port: several protocols of a port may share one. */
  const shared = new Map<number, number>();
  for (const [index, port] of (spec.ports ?? []).entries()) {
    if (port.nodePort !== undefined && port.nodePort !== 0) {
      const isShared = shared.get(port.port) === port.nodePort;
      const isTaken = reserved.has(port.nodePort) && !isShared;
      const isKnown = known.has(port.nodePort) || isShared;
      const fault = isTaken ? portTaken : isKnown ? undefined : addresses.nodePortFault(port.nodePort);
      reserved.add(port.nodePort);
      shared.set(port.port, port.nodePort);
      if (fault === undefined) continue;
      throw invalid(kind, name, [invalidValue(`spec.ports[${index}].nodePort`, port.nodePort, fault)]);
    }
    const free = addresses.freeNodePort(reserved);
    if (free === undefined)
      throw invalid(kind, name, [forbiddenField(`spec.ports[${index}].nodePort`, "no free port")]);
    reserved.add(free);
    port.nodePort = free;
  }
}

function allocateIp(service: ServiceObject, { addresses }: Pick<RuleScope, "addresses">, old?: ServiceObject): void {
  const { spec } = service;
  const requested = spec.clusterIPs?.[0] ?? spec.clusterIP ?? "";
  if (requested === "None" || (requested !== "" && requested === old?.spec.clusterIP)) {
    spec.clusterIP = requested;
    spec.clusterIPs ??= [requested];
    return;
  }
  // Validation rejects invalid addresses with its own message.
  if (requested !== "" && (ipFault(requested) !== undefined || old?.spec.clusterIP !== undefined)) {
    spec.clusterIPs ??= [requested];
    return;
  }
  const name = service.metadata.name ?? "";
  const fault = requested === "" ? undefined : addresses.clusterIpFault(requested);
  if (fault !== undefined) {
    const detail = `failed to allocate IP ${requested}: ${fault}`;
    throw invalid(kind, name, [invalidValue("spec.clusterIPs", [requested], detail)]);
  }
  const allocated = requested === "" ? addresses.freeClusterIp() : requested;
  if (allocated === undefined) {
    throw invalid(kind, name, [invalidValue("spec.clusterIPs", [], "failed to allocate a serviceIP: range is full")]);
  }
  spec.clusterIP = allocated;
  spec.clusterIPs = [allocated];
}
