import type { HostsLine } from "./machine-names.ts";
import type { StoredPod } from "./stored-object.ts";

/** Service name with the addresses that it resolves to. */
export interface ServiceName {
  readonly namespace: string;
  readonly name: string;
  /** Address of the service itself, or of its ready pods when it is headless. */
  readonly addresses: readonly string[];
  /** Names below the service's name, for pods with a host name and this service as their subdomain. */
  readonly hosts: readonly { readonly hostname: string; readonly address: string }[];
}

interface HostsFileContent {
  readonly pod: StoredPod;
  readonly address: string;
  readonly services: readonly ServiceName[];
  /** Additional names of the pod's address. */
  readonly aliases: readonly string[];
  /** Names of this machine; names of the cluster override them. */
  readonly machine: readonly HostsLine[];
}

/**
 * Formats a pod's `/etc/hosts`, which replaces the cluster's DNS: the pod itself, its aliases, every service as
 * `name.namespace`, `….svc` and `….svc.cluster.local`, and services of its own namespace by their bare name as well.
 * This machine's names follow.
 */
export function hostsFileText(content: HostsFileContent): string {
  const { pod, address, services, aliases, machine } = content;
  const { namespace } = pod.metadata;
  const lines: HostsLine[] = [
    ["127.0.0.1", "localhost"],
    ["::1", "localhost", "ip6-localhost", "ip6-loopback"],
    [address, ...ownNames(pod), ...aliases],
    ...(pod.spec.hostAliases ?? []).map(({ ip = "", hostnames = [] }): HostsLine => [ip, ...hostnames]),
    ...services.flatMap((service) => serviceLines(service, namespace)),
  ];
  const known = new Set(lines.flatMap(([, ...names]) => names));
  for (const [host, ...names] of machine) {
    const others = names.filter((name) => !known.has(name));
    if (others.length > 0) lines.push([host, ...others]);
  }
  const text = lines.map((fields) => `${fields.join("\t")}\n`).join("");
  return `${header(pod)}# Rewritten in place when the names of the cluster change.\n${text}`;
}

/** Returns the line by which Kubernetes and programs recognize a managed file. */
function header({ spec }: StoredPod): string {
  return `# Kubernetes-managed hosts file${spec.hostNetwork === true ? " (host network)" : ""}.\n`;
}

/** Returns the host name of a pod: its `hostname`, else its name, truncated to a valid host name. */
export function hostnameOf({ metadata, spec }: StoredPod): string {
  const name = spec.hostname ?? "";
  return (name === "" ? metadata.name : name).slice(0, 63).replace(/[-.]+$/, "");
}

function ownNames(pod: StoredPod): string[] {
  const { subdomain = "" } = pod.spec;
  const hostname = hostnameOf(pod);
  const full = `${hostname}.${subdomain}.${pod.metadata.namespace}.svc.cluster.local`;
  return subdomain === "" ? [hostname] : [full, hostname];
}

function serviceLines(service: ServiceName, ownNamespace: string): HostsLine[] {
  const { namespace, name, addresses, hosts } = service;
  const names = (host: string): string[] => {
    const base = `${host}.${namespace}`;
    return [...(namespace === ownNamespace ? [host] : []), base, `${base}.svc`, `${base}.svc.cluster.local`];
  };
  return [
    ...addresses.map((address): HostsLine => [address, ...names(name)]),
    ...hosts.map(({ hostname, address }): HostsLine => [address, ...names(`${hostname}.${name}`)]),
  ];
}
