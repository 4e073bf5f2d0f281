import { BlockList, isIP } from "node:net";
import type {
  IngressBackend,
  IngressSpec,
  NetworkPolicyPeer,
  NetworkPolicyPort,
  NetworkPolicySpec,
} from "kubernetes-types/networking/v1.d.ts";
import { type FieldError, forbiddenField, invalidValue, notSupported, required } from "./field-error.ts";
import { labelSelectorErrors } from "./label-selectors.ts";
import { dns1035Label, portName, subdomain } from "./names.ts";
import { cidrFault, portFault } from "./numbers.ts";

const pathTypes = ["Exact", "ImplementationSpecific", "Prefix"];

/** Returns the errors of an ingress. */
export function ingressErrors({ defaultBackend, ingressClassName, rules = [], tls = [] }: IngressSpec): FieldError[] {
  return [
    ...(rules.length === 0 && defaultBackend === undefined
      ? [invalidValue("spec", null, "either `defaultBackend` or `rules` must be specified")]
      : []),
    ...(defaultBackend === undefined ? [] : backendErrors(defaultBackend, "spec.defaultBackend")),
    ...tls.flatMap(({ hosts = [], secretName = "" }, index) => [
      ...hosts.flatMap((host, at) => hostErrors(host, `spec.tls[${index}].hosts[${at}]`)),
      ...(secretName === "" ? [] : subdomain(secretName)).map((fault) =>
        invalidValue(`spec.tls[${index}].secretName`, secretName, fault),
      ),
    ]),
    ...rules.flatMap((rule, index) => ruleErrors(rule, `spec.rules[${index}]`)),
    ...(ingressClassName === undefined
      ? []
      : subdomain(ingressClassName).map((fault) => invalidValue("spec.ingressClassName", ingressClassName, fault))),
  ];
}

function hostErrors(host: string, field: string): FieldError[] {
  const plain = host.startsWith("*.") ? host.slice(2) : host;
  return [
    ...subdomain(plain).map((fault) => invalidValue(field, host, fault)),
    ...(isIP(host) === 0 ? [] : [invalidValue(field, host, "must be a DNS name, not an IP address")]),
  ];
}

function ruleErrors({ host = "", http }: NonNullable<IngressSpec["rules"]>[number], field: string): FieldError[] {
  const paths = http?.paths ?? [];
  return [
    ...(host === "" ? [] : hostErrors(host, `${field}.host`)),
    ...(http !== undefined && paths.length === 0 ? [required(`${field}.http.paths`)] : []),
    ...paths.flatMap(({ path = "", pathType, backend }, index) => {
      const pathField = `${field}.http.paths[${index}]`;
      if (pathType === undefined || pathType === null)
        return [required(`${pathField}.pathType`, "pathType must be specified")];
      return [
        ...(pathTypes.includes(pathType) ? pathErrors(path, pathType, `${pathField}.path`) : []),
        ...(pathTypes.includes(pathType) ? [] : [notSupported(`${pathField}.pathType`, pathType, pathTypes)]),
        ...backendErrors(backend, `${pathField}.backend`),
      ];
    }),
  ];
}

function pathErrors(path: string, type: string, field: string): FieldError[] {
  if (!path.startsWith("/")) {
    return type === "ImplementationSpecific" && path === ""
      ? []
      : [invalidValue(field, path, "must be an absolute path")];
  }
  if (type === "ImplementationSpecific") return [];
  return ["//", "/./", "/../", "%2f", "%2F"]
    .filter((part) => path.includes(part))
    .map((part) => invalidValue(field, path, `must not contain '${part}'`));
}

function backendErrors({ service, resource }: IngressBackend, field: string): FieldError[] {
  if (service === undefined && resource === undefined)
    return [invalidValue(field, "", "resource or service backend is required")];
  if (service === undefined) return [];
  const { name = "", number = 0 } = service.port ?? {};
  const fault = number === 0 ? undefined : portFault(number);
  return [
    ...(service.name === ""
      ? [required(`${field}.service.name`)]
      : dns1035Label(service.name).map((text) => invalidValue(`${field}.service.name`, service.name, text))),
    ...(name !== "" && number !== 0 ? [invalidValue(field, "", "cannot set both port name & port number")] : []),
    ...(name === "" && number === 0 ? [required(field, "port name or number is required")] : []),
    ...(name === "" ? [] : portName(name)).map((text) => invalidValue(`${field}.service.port.name`, name, text)),
    ...(fault === undefined ? [] : [invalidValue(`${field}.service.port.number`, number, fault)]),
  ];
}

/** Returns the errors of a network policy. */
export function networkPolicyErrors({
  podSelector,
  ingress = [],
  egress = [],
  policyTypes = [],
}: NetworkPolicySpec): FieldError[] {
  const types = ["Ingress", "Egress"];
  return [
    ...labelSelectorErrors(podSelector, "spec.podSelector"),
    ...ingress.flatMap(({ ports = [], from = [] }, index) => [
      ...ports.flatMap((port, at) => policyPortErrors(port, `spec.ingress[${index}].ports[${at}]`)),
      ...from.flatMap((peer, at) => peerErrors(peer, `spec.ingress[${index}].from[${at}]`)),
    ]),
    ...egress.flatMap(({ ports = [], to = [] }, index) => [
      ...ports.flatMap((port, at) => policyPortErrors(port, `spec.egress[${index}].ports[${at}]`)),
      ...to.flatMap((peer, at) => peerErrors(peer, `spec.egress[${index}].to[${at}]`)),
    ]),
    ...policyTypes.flatMap((type, index) =>
      types.includes(type) ? [] : [notSupported(`spec.policyTypes[${index}]`, type, types)],
    ),
  ];
}

function policyPortErrors({ protocol = "TCP", port, endPort }: NetworkPolicyPort, field: string): FieldError[] {
  const protocols = ["TCP", "UDP", "SCTP"];
  const fault = typeof port === "number" ? portFault(port) : undefined;
  const nameFaults = typeof port === "string" ? portName(port) : [];
  return [
    ...(protocols.includes(protocol) ? [] : [notSupported(`${field}.protocol`, protocol, protocols)]),
    ...nameFaults.map((text) => invalidValue(`${field}.port`, port, text)),
    ...(fault === undefined ? [] : [invalidValue(`${field}.port`, port, fault)]),
    ...(endPort !== undefined && typeof port === "number" && endPort < port
      ? [invalidValue(`${field}.endPort`, port, "must be greater than or equal to `port`")]
      : []),
  ];
}

function peerErrors({ podSelector, namespaceSelector, ipBlock }: NetworkPolicyPeer, field: string): FieldError[] {
  const hasSelector = podSelector !== undefined || namespaceSelector !== undefined;
  if (!hasSelector && ipBlock === undefined) return [required(field, "must specify a peer")];
  if (hasSelector && ipBlock !== undefined)
    return [forbiddenField(field, "may not specify both ipBlock and another peer")];
  return [
    ...labelSelectorErrors(podSelector, `${field}.podSelector`),
    ...labelSelectorErrors(namespaceSelector, `${field}.namespaceSelector`),
    ...(ipBlock === undefined ? [] : blockErrors(ipBlock, `${field}.ipBlock`)),
  ];
}

function blockErrors({ cidr, except = [] }: NonNullable<NetworkPolicyPeer["ipBlock"]>, field: string): FieldError[] {
  if (cidr === "") return [required(`${field}.cidr`)];
  const fault = cidrFault(cidr);
  if (fault !== undefined) return [invalidValue(`${field}.cidr`, cidr, fault)];
  return except.flatMap((range, index) => {
    const exceptField = `${field}.except[${index}]`;
    const own = cidrFault(range);
    if (own !== undefined) return [invalidValue(exceptField, range, own)];
    return isStrictSubset(range, cidr) ? [] : [invalidValue(exceptField, range, "must be a strict subset of `cidr`")];
  });
}

/** Whether an address range is a strict subset of another. */
function isStrictSubset(range: string, outer: string): boolean {
  const [address = "", bits = ""] = range.split("/");
  const [start = "", length = ""] = outer.split("/");
  if (isIP(address) !== isIP(start) || Number(bits) <= Number(length)) return false;
  const family = isIP(start) === 6 ? "ipv6" : "ipv4";
  const block = new BlockList();
  block.addSubnet(start, Number(length), family);
  return block.check(address, family);
}
