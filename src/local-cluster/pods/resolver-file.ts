import type { Files } from "../../host/host.ts";
import { clusterDomain } from "./network/dns-message.ts";
import type { StoredPod } from "./stored-object.ts";

const path = "/etc/resolv.conf";

/** Limits of the kubelet. Source: Kubernetes 1.35, pkg/apis/core/validation, `MaxDNSNameservers`, `MaxDNSSearchPaths`. */
const maxNameServers = 3;
const maxSearchDomains = 32;

/** Content of a resolver's configuration. */
interface ResolverConfig {
  readonly nameServers: readonly string[];
  readonly searches: readonly string[];
  readonly options: readonly string[];
}

/** Lists the name servers of this machine. */
export function nameServers(files: Pick<Files, "readText">): readonly string[] {
  return parse(files.readText(path) ?? "").nameServers;
}

/** Source: resolv.conf(5). The last search list applies. */
function parse(text: string): ResolverConfig {
  const lines = text.split("\n").map((line) => line.trim().split(/\s+/));
  const valuesOf = (keyword: string) => lines.filter(([first]) => first === keyword).map(([, ...values]) => values);
  return {
    nameServers: valuesOf("nameserver").flatMap(([address = ""]) => (address === "" ? [] : [address])),
    searches: (valuesOf("search").at(-1) ?? valuesOf("domain").at(-1) ?? []).filter((domain) => domain !== "."),
    options: valuesOf("options").flat(),
  };
}

/**
 * Formats a pod's `/etc/resolv.conf` by its DNS policy and configuration; `undefined` for this machine's own file.
 *
 * Without a DNS server, and in this machine's network, the cluster's names are in `/etc/hosts`, and the policies of cluster DNS use
 * this machine's resolver. A pod with its own network does not reach name servers on this machine's loopback, so that it uses the
 * cluster's server instead, which queries them. Source: Kubernetes 1.35, pkg/kubelet/network/dns/dns.go.
 *
 * @param server address of the cluster's DNS server
 */
export function resolverFile(
  files: Pick<Files, "readText">,
  { metadata, spec }: StoredPod,
  server: string | undefined,
): string | undefined {
  const { dnsPolicy = "ClusterFirst", dnsConfig = {}, hostNetwork = false } = spec;
  const clusterServer = hostNetwork ? undefined : server;
  const isNone = dnsPolicy === "None";
  const usesCluster = clusterServer !== undefined && dnsPolicy !== "None" && dnsPolicy !== "Default";
  const own = parse(files.readText(path) ?? "");
  const machine = withReachableServers(own, clusterServer);
  if (!isNone && !usesCluster && Object.keys(dnsConfig).length === 0 && machine === own) return undefined;
  const cluster: ResolverConfig = {
    nameServers: clusterServer === undefined ? [] : [clusterServer],
    searches: [
      `${metadata.namespace}.svc.${clusterDomain}`,
      `svc.${clusterDomain}`,
      clusterDomain,
      ...machine.searches,
    ],
    options: ["ndots:5"],
  };
  const base = isNone ? { nameServers: [], searches: [], options: [] } : usesCluster ? cluster : machine;
  const added = (dnsConfig.options ?? []).map(({ name = "", value }) =>
    value === undefined ? name : `${name}:${value}`,
  );
  const overridden = new Set(added.map((option) => option.split(":")[0]));
  const options = [...base.options.filter((option) => !overridden.has(option.split(":")[0])), ...added];
  const servers = unique([...base.nameServers, ...(dnsConfig.nameservers ?? [])]).slice(0, maxNameServers);
  const searches = unique([...base.searches, ...(dnsConfig.searches ?? [])]).slice(0, maxSearchDomains);
  return [
    ...(searches.length === 0 ? [] : [`search ${searches.join(" ")}`]),
    ...servers.map((address) => `nameserver ${address}`),
    ...(options.length === 0 ? [] : [`options ${options.join(" ")}`]),
    "",
  ].join("\n");
}

/** Replaces the name servers on this machine's loopback, which is also the default without a server. Source: resolv.conf(5). */
function withReachableServers(machine: ResolverConfig, server: string | undefined): ResolverConfig {
  const isLoopback = (address: string) => address.startsWith("127.") || address === "::1";
  const isReachable = machine.nameServers.length > 0 && !machine.nameServers.some(isLoopback);
  if (server === undefined || isReachable) return machine;
  const others = machine.nameServers.filter((address) => !isLoopback(address));
  return { ...machine, nameServers: [server, ...others] };
}

function unique(values: readonly string[]): string[] {
  return [...new Set(values)];
}
