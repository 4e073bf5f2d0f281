import { isIP } from "node:net";
import type { ServiceSpec } from "kubernetes-types/core/v1.d.ts";
import { rangeErrors } from "./address-ranges.ts";
import { duplicate, type FieldError, forbiddenField, invalidValue, notSupported, required } from "./field-error.ts";
import { validateLabels } from "./metadata.ts";
import { dnsLabel, portName, qualifiedName, subdomain } from "./names.ts";
import { cidrFault, ipFault, portFault } from "./numbers.ts";

const types = ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"];

const maxAffinitySeconds = 86_400;

const distributions = ["PreferClose", "PreferSameZone", "PreferSameNode"];

/** A field of Kubernetes 1.30 and later. */
interface DistributedService {
  readonly trafficDistribution?: string;
}

/** Rejects changes of an allocated address. */
export function addressChangeErrors(spec: ServiceSpec, old: ServiceSpec): FieldError[] {
  const before = old.clusterIP ?? "";
  if (before === "" || spec.type === "ExternalName" || spec.clusterIP === before) return [];
  return [invalidValue("spec.clusterIPs[0]", spec.clusterIPs ?? [spec.clusterIP], "may not change once set")];
}

/** Returns the errors of the addresses that a new service requests, which are checked before any is allocated. */
export function requestedAddressErrors(spec: ServiceSpec): FieldError[] {
  const { type, clusterIP = "", clusterIPs = [], ipFamilies = [], ipFamilyPolicy, selector } = spec;
  if (type === "ExternalName") return [];
  const field = "spec.clusterIPs";
  const versions = clusterIPs.map((address) => isIP(address));
  const hasTwo = versions.some((version, index) => version !== 0 && versions.indexOf(version) < index);
  const requested = clusterIPs[0] ?? clusterIP;
  // Endpoints of a headless service without a selector may have any addresses.
  const isFree = clusterIP === "None" && selector === undefined;
  return [
    ...(clusterIPs.length > 0 && clusterIP === ""
      ? [invalidValue(field, clusterIPs, "must be empty when `clusterIP` is not specified")]
      : clusterIPs.length > 0 && clusterIPs[0] !== clusterIP
        ? [invalidValue(field, clusterIPs, "first value must match `clusterIP`")]
        : isIP(requested) === 6
          ? [invalidValue(`${field}[0]`, [requested], "IPv6 is not configured on this cluster")]
          : []),
    ...(hasTwo ? [invalidValue(field, clusterIPs, "may specify no more than one IP for each IP family")] : []),
    ...ipFamilies.flatMap((family, index) => {
      if (ipFamilies.indexOf(family) < index) return [duplicate(`spec.ipFamilies[${index}]`, family)];
      if (isFree || family !== "IPv6") return [];
      return [invalidValue(`spec.ipFamilies[${index}]`, family, "not configured on this cluster")];
    }),
    ...(ipFamilyPolicy === "RequireDualStack" && !isFree
      ? [invalidValue("spec.ipFamilyPolicy", ipFamilyPolicy, "this cluster is not configured for dual-stack services")]
      : []),
  ];
}

/** Returns the errors of a service's specification. */
export function serviceErrors(spec: ServiceSpec & DistributedService): FieldError[] {
  const { trafficDistribution } = spec;
  const isHeadless = spec.clusterIP === "None";
  return [
    ...((spec.ports ?? []).length === 0 && !isHeadless && spec.type !== "ExternalName" ? [required("spec.ports")] : []),
    ...typeErrors(spec),
    ...validatePorts(spec),
    ...validateLabels(spec.selector, "spec.selector"),
    ...affinityErrors(spec),
    ...familyErrors(spec),
    ...(spec.clusterIPs ?? []).flatMap((address, index) => {
      const fault = address === "None" ? undefined : (ipFault(address) ?? familyFault(spec, address, index));
      return fault === undefined ? [] : [invalidValue(`spec.clusterIPs[${index}]`, address, fault)];
    }),
    ...(spec.externalIPs ?? []).flatMap((address, index) => {
      const fault = ipFault(address);
      const field = `spec.externalIPs[${index}]`;
      return fault === undefined ? rangeErrors(address, field) : [invalidValue(field, address, fault)];
    }),
    ...trafficErrors(spec),
    ...(trafficDistribution === undefined || distributions.includes(trafficDistribution)
      ? []
      : [notSupported("spec.trafficDistribution", trafficDistribution, distributions)]),
    ...balancerErrors(spec),
    ...(types.includes(spec.type ?? "") ? [] : [notSupported("spec.type", spec.type, types)]),
  ];
}

/** Returns the message about an address of another family than the specification states. */
function familyFault({ ipFamilies = [] }: ServiceSpec, address: string, index: number): string | undefined {
  const family = ipFamilies[index];
  if ((family !== "IPv4" && family !== "IPv6") || family === `IPv${isIP(address)}`) return undefined;
  return `expected an ${family} value as indicated by \`ipFamilies[${index}]\``;
}

function typeErrors({ type, externalName = "", clusterIP = "", clusterIPs = [] }: ServiceSpec): FieldError[] {
  switch (type) {
    case "ExternalName":
      return [
        ...(clusterIP === "" && clusterIPs.length === 0
          ? []
          : [forbiddenField("spec.clusterIPs", "may not be set for ExternalName services")]),
        ...(externalName === "" ? [required("spec.externalName")] : []),
        ...(externalName === "" ? [] : subdomain(externalName.replace(/\.$/, ""))).map((fault) =>
          invalidValue("spec.externalName", externalName, fault),
        ),
      ];
    case "NodePort":
    case "LoadBalancer": {
      const text = `may not be set to 'None' for ${type} services`;
      return clusterIP === "None" ? [invalidValue("spec.clusterIPs[0]", "None", text)] : [];
    }
    default:
      return [];
  }
}

function affinityErrors({ sessionAffinity = "", sessionAffinityConfig }: ServiceSpec): FieldError[] {
  const seconds = sessionAffinityConfig?.clientIP?.timeoutSeconds;
  const field = "spec.sessionAffinityConfig.clientIP.timeoutSeconds";
  const text = `must be greater than 0 and less than ${maxAffinitySeconds}`;
  return [
    ...(["ClientIP", "None"].includes(sessionAffinity)
      ? []
      : [notSupported("spec.sessionAffinity", sessionAffinity, ["ClientIP", "None"])]),
    ...(sessionAffinity === "ClientIP" && seconds !== undefined && (seconds <= 0 || seconds > maxAffinitySeconds)
      ? [invalidValue(field, seconds, text)]
      : []),
  ];
}

function familyErrors({ ipFamilyPolicy, ipFamilies = [] }: ServiceSpec): FieldError[] {
  const policies = ["PreferDualStack", "RequireDualStack", "SingleStack"];
  const families = ["IPv4", "IPv6"];
  return [
    ...ipFamilies.flatMap((family, index) =>
      families.includes(family) ? [] : [notSupported(`spec.ipFamilies[${index}]`, family, families)],
    ),
    ...(ipFamilyPolicy === undefined || policies.includes(ipFamilyPolicy)
      ? []
      : [notSupported("spec.ipFamilyPolicy", ipFamilyPolicy, policies)]),
  ];
}

function trafficErrors({
  type,
  externalTrafficPolicy,
  internalTrafficPolicy,
  externalIPs = [],
}: ServiceSpec): FieldError[] {
  const policies = ["Cluster", "Local"];
  const isOpen = type === "NodePort" || type === "LoadBalancer" || externalIPs.length > 0;
  const field = "spec.externalTrafficPolicy";
  return [
    ...(internalTrafficPolicy === undefined || policies.includes(internalTrafficPolicy)
      ? []
      : [notSupported("spec.internalTrafficPolicy", internalTrafficPolicy, policies)]),
    ...(externalTrafficPolicy === undefined
      ? []
      : !isOpen
        ? [invalidValue(field, externalTrafficPolicy, "may only be set for externally-accessible services")]
        : policies.includes(externalTrafficPolicy)
          ? []
          : [notSupported(field, externalTrafficPolicy, policies)]),
  ];
}

/** Returns the errors of fields for load balancers. */
function balancerErrors(spec: ServiceSpec): FieldError[] {
  const { type, externalTrafficPolicy, healthCheckNodePort = 0, loadBalancerClass } = spec;
  const isBalancer = type === "LoadBalancer";
  const only = "may only be used when `type` is 'LoadBalancer'";
  const ranges = spec.loadBalancerSourceRanges ?? [];
  const checked = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
  return [
    ...(ranges.length > 0 && !isBalancer ? [forbiddenField("spec.LoadBalancerSourceRanges", only)] : []),
    ...ranges.flatMap((range, index) => {
      const fault = cidrFault(range.trim());
      return fault === undefined ? [] : [invalidValue(`spec.LoadBalancerSourceRanges[${index}]`, range, fault)];
    }),
    ...(spec.allocateLoadBalancerNodePorts !== undefined && !isBalancer
      ? [forbiddenField("spec.allocateLoadBalancerNodePorts", only)]
      : []),
    ...(loadBalancerClass === undefined
      ? []
      : isBalancer
        ? qualifiedName(loadBalancerClass).map((fault) =>
            invalidValue("spec.loadBalancerClass", loadBalancerClass, fault),
          )
        : [forbiddenField("spec.loadBalancerClass", only)]),
    ...(healthCheckNodePort !== 0 && (!isBalancer || externalTrafficPolicy !== "Local")
      ? [invalidValue("spec.healthCheckNodePort", healthCheckNodePort, checked)]
      : []),
  ];
}

/** Address of a load balancer. */
interface Ingress {
  readonly ip?: string;
  readonly ipMode?: string;
  readonly hostname?: string;
}

/** Returns the errors of a load balancer's status. */
export function balancerStatusErrors({ type }: ServiceSpec, ingress: readonly Ingress[]): FieldError[] {
  const field = "status.loadBalancer.ingress";
  if (ingress.length > 0 && type !== "LoadBalancer")
    return [forbiddenField(field, "may only be used when `spec.type` is 'LoadBalancer'")];
  return ingress.flatMap((address, index) => ingressErrors(address, `${field}[${index}]`));
}

function ingressErrors({ ip = "", ipMode, hostname = "" }: Ingress, field: string): FieldError[] {
  const fault = ip === "" ? undefined : ipFault(ip);
  const modes = ["Proxy", "VIP"];
  return [
    ...(fault === undefined ? [] : [invalidValue(`${field}.ip`, ip, fault)]),
    ...(ipMode === undefined
      ? []
      : ip === ""
        ? [forbiddenField(`${field}.ipMode`, "may not be specified when `ip` is not set")]
        : modes.includes(ipMode)
          ? []
          : [notSupported(`${field}.ipMode`, ipMode, modes)]),
    ...(hostname === "" ? [] : subdomain(hostname)).map((text) => invalidValue(`${field}.hostname`, hostname, text)),
    ...(isIP(hostname) === 0
      ? []
      : [invalidValue(`${field}.hostname`, hostname, "must be a DNS name, not an IP address")]),
  ];
}

/** Returns the warnings about a valid service. */
export function warnOfService({
  type,
  externalName = "",
  trafficDistribution,
}: ServiceSpec & DistributedService): string[] {
  const isIgnored = externalName !== "" && type !== "ExternalName";
  return [
    ...(isIgnored ? ['spec.externalName is ignored when spec.type is not "ExternalName"'] : []),
    ...(trafficDistribution === "PreferClose"
      ? ['spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"']
      : []),
  ];
}

function validatePorts({ ports = [], type }: ServiceSpec): FieldError[] {
  const names = new Set<string>();
  const seen = new Set<string>();
  return ports.flatMap((port, index) => {
    const field = `spec.ports[${index}]`;
    const { name = "", protocol = "", targetPort = "" } = port;
    const key = `${protocol}/${port.port}`;
    const errors: FieldError[] = [];
    if (name === "" && ports.length > 1) errors.push(required(`${field}.name`));
    else if (name !== "") {
      errors.push(...dnsLabel(name).map((fault) => invalidValue(`${field}.name`, name, fault)));
      if (names.has(name)) errors.push(duplicate(`${field}.name`, name));
      names.add(name);
    }
    const fault = portFault(port.port);
    if (fault !== undefined) errors.push(invalidValue(`${field}.port`, port.port, fault));
    if (protocol === "") errors.push(required(`${field}.protocol`));
    else if (!["SCTP", "TCP", "UDP"].includes(protocol)) {
      errors.push(notSupported(`${field}.protocol`, protocol, ["SCTP", "TCP", "UDP"]));
    }
    const targetFaults = typeof targetPort === "number" ? [portFault(targetPort) ?? ""] : [...portName(targetPort)];
    errors.push(
      ...targetFaults
        .filter((text) => text !== "")
        .map((text) => invalidValue(`${field}.targetPort`, targetPort, text)),
    );
    const { appProtocol } = port;
    if (appProtocol !== undefined) {
      errors.push(...qualifiedName(appProtocol).map((text) => invalidValue(`${field}.appProtocol`, appProtocol, text)));
    }
    if ((port.nodePort ?? 0) !== 0 && type !== "NodePort" && type !== "LoadBalancer") {
      errors.push(forbiddenField(`${field}.nodePort`, `may not be used when \`type\` is '${type}'`));
    }
    if (seen.has(key)) {
      const shown = {
        Name: "",
        Protocol: protocol,
        AppProtocol: null,
        Port: port.port,
        TargetPort: 0,
        NodePort: 0,
      };
      errors.push(duplicate(field, shown));
    }
    seen.add(key);
    return errors;
  });
}
