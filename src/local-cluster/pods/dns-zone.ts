import type { Store } from "../api/store.ts";
import { type AddressOf, readyEndpoints } from "./endpoints.ts";
import { hostnameOf } from "./hosts-file.ts";
import {
  clusterDomain,
  type DnsRecord,
  type DnsResult,
  type Question,
  recordTypes,
  responseCodes,
} from "./network/dns-message.ts";
import { targetPort } from "./service-targets.ts";
import { isPod, isService, type StoredPod, type StoredService } from "./stored-object.ts";

interface ZoneOptions {
  readonly store: Store;
  readonly addressOf: AddressOf;
  /** Address of the API, which has a service. */
  readonly apiAddress: string;
}

/** Names of pods and services: records by type; empty if the name exists without records. */
type Records = readonly DnsRecord[];

/**
 * Resolves a question about the cluster's names; `undefined` for any other name.
 *
 * Source: Kubernetes, "DNS-Based Service Discovery" 1.1.0.
 */
export function resolveQuestion(
  options: ZoneOptions,
  { name, type }: Pick<Question, "name" | "type">,
): DnsResult | undefined {
  const lowerName = name.toLowerCase();
  const labels = lowerName.split(".");
  const reverse = /^(\d+)\.(\d+)\.(\d+)\.(\d+)\.in-addr\.arpa$/.exec(lowerName);
  if (reverse !== null) {
    const target = nameOfAddress(options, reverse.slice(1).reverse().join("."));
    return target === undefined ? undefined : result([{ type: "PTR", name, target }], type);
  }
  if (!lowerName.endsWith(`.${clusterDomain}`) && lowerName !== clusterDomain) return undefined;
  const own = labels.slice(0, -2);
  const kind = own.at(-1);
  const [first = ""] = own;
  const found =
    kind === "svc"
      ? serviceRecords(options, name, own.slice(0, -1))
      : kind === "pod" && own.length === 3 && /^\d{1,3}(-\d{1,3}){3}$/.test(first)
        ? [{ type: "A" as const, name, address: first.replaceAll("-", ".") }]
        : own.length < 2 && (kind === undefined || kind === "pod")
          ? []
          : undefined;
  return found === undefined ? { code: responseCodes.nameError, records: [] } : result(found, type, options);
}

function result(records: Records, type: number, options?: ZoneOptions): DnsResult {
  const matching = records.filter(
    (record) => type === recordTypes.ANY || record.type === "CNAME" || recordTypes[record.type] === type,
  );
  const additional = matching.flatMap((record) => {
    if (record.type !== "SRV" || options === undefined) return [];
    const labels = record.target.split(".").slice(0, -3);
    return (serviceRecords(options, record.target, labels) ?? []).filter((found) => found.type === "A");
  });
  return { code: responseCodes.noError, records: matching, additional };
}

/** @param labels those before `svc`: `NAME NAMESPACE`, `HOST NAME NAMESPACE` or `_PORT _PROTOCOL NAME NAMESPACE` */
function serviceRecords(options: ZoneOptions, name: string, labels: readonly string[]): Records | undefined {
  const { store, apiAddress } = options;
  const namespace = labels.at(-1);
  if (namespace === undefined) return [];
  if (labels.length === 1) return store.get("namespaces", undefined, namespace) === undefined ? undefined : [];
  const serviceName = labels.at(-2) ?? "";
  const service = store.get("services", namespace, serviceName);
  if (service === undefined || !isService(service)) return undefined;
  if (service.spec?.type === "ExternalName")
    return labels.length > 2
      ? undefined
      : [{ type: "CNAME", name, target: (service.spec.externalName ?? "").replace(/\.$/, "") }];
  const clusterIp = service.spec?.clusterIP ?? "";
  const isHeadless = clusterIp === "" || clusterIp === "None";
  const isApi = namespace === "default" && serviceName === "kubernetes";
  const hosts = isHeadless ? endpointsOf(options, service) : [];
  if (labels.length === 2) {
    const addresses = isApi ? [apiAddress] : isHeadless ? hosts.map(({ address }) => address) : [clusterIp];
    const isEmpty = isHeadless && addresses.length === 0;
    return isEmpty ? undefined : addresses.map((address) => ({ type: "A", name, address }));
  }
  if (labels.length === 3) {
    const matching = hosts.filter(({ host }) => host === labels[0]);
    return matching.length === 0 ? undefined : matching.map(({ address }) => ({ type: "A", name, address }));
  }
  const [portLabel = "", protocolLabel = ""] = labels;
  const port = (service.spec?.ports ?? []).find(
    (candidate) =>
      `_${candidate.name ?? ""}` === portLabel && `_${(candidate.protocol ?? "TCP").toLowerCase()}` === protocolLabel,
  );
  if (labels.length !== 4 || port === undefined) return undefined;
  const domain = `${serviceName}.${namespace}.svc.${clusterDomain}`;
  const targets = isHeadless
    ? hosts.map(({ host, pod }) => ({ target: `${host}.${domain}`, port: targetPort(port, pod) ?? port.port }))
    : [{ target: domain, port: port.port }];
  const weight = Math.max(1, Math.floor(100 / Math.max(1, targets.length)));
  return targets.map(({ target, port: number }) => ({ type: "SRV", name, target, port: number, weight }));
}

/** Lists the pods of a headless service with their names in it: the host name, or the address with hyphens. */
function endpointsOf({ store, addressOf }: ZoneOptions, service: StoredService) {
  return readyEndpoints(store, service, addressOf).map(({ address, pod }) => {
    const isNamed = pod.spec.hostname !== undefined && pod.spec.subdomain === service.metadata.name;
    return { address, pod, host: isNamed ? hostnameOf(pod).toLowerCase() : address.replaceAll(".", "-") };
  });
}

function nameOfAddress(options: ZoneOptions, address: string): string | undefined {
  const { store, addressOf, apiAddress } = options;
  const nameOf = ({ metadata }: StoredService) => `${metadata.name}.${metadata.namespace}.svc.${clusterDomain}`;
  if (address === apiAddress) return `kubernetes.default.svc.${clusterDomain}`;
  const services = store.list("services").filter(isService);
  const own = services.find(({ spec }) => spec?.clusterIP === address);
  if (own !== undefined) return nameOf(own);
  const isAt = (pod: StoredPod) => pod.spec.hostNetwork !== true && addressOf(pod) === address;
  const pod = store.list("pods").filter(isPod).find(isAt);
  if (pod === undefined) return undefined;
  for (const service of services) {
    if (service.spec?.clusterIP !== "None" || service.metadata.namespace !== pod.metadata.namespace) continue;
    const endpoint = endpointsOf(options, service).find((candidate) => candidate.address === address);
    if (endpoint !== undefined) return `${endpoint.host}.${nameOf(service)}`;
  }
  return undefined;
}
