import { addressOf } from "../../host/address.ts";
import { machineName } from "../../host/machine-name.ts";

/**
 * Returns whether a list like `localhost,.example.com,10.0.0.0/8,api:6443` contains a server. Items are a host with its
 * subdomains, only the subdomains (leading dot), an address or a network, each with an optional port.
 *
 * Source: golang.org/x/net/http/httpproxy, which kubectl uses.
 */
export async function isExempt(server: URL, list: string): Promise<boolean> {
  const { host, port } = addressOf(server);
  for (const item of list.split(",").map((text) => text.trim().toLowerCase())) {
    if (item !== "" && (await names(item, host.toLowerCase(), port))) return true;
  }
  return false;
}

/** Returns whether a server is this machine. */
export function isLoopback(server: URL): boolean {
  const { host } = addressOf(server);
  return host === "localhost" || host === machineName || host === "::1" || /^127\.\d+\.\d+\.\d+$/.test(host);
}

async function names(item: string, host: string, port: number): Promise<boolean> {
  if (item === "*") return true;
  if (item.includes("/")) return isInSubnet(host, item);
  const parts = /^(\[[^\]]*\]|[^:]*):(\d+)$/.exec(item);
  if (parts !== null && Number(parts[2]) !== port) return false;
  const name = (parts?.[1] ?? item).replace(/^\[(.*)\]$/, "$1").replace(/^\*\./, ".");
  // The end of an IP address is not a domain.
  if (/^[\d.]+$|:/.test(host)) return isInSubnet(host, name);
  return name.startsWith(".") ? host.endsWith(name) : host === name || host.endsWith(`.${name}`);
}

async function isInSubnet(host: string, subnet: string): Promise<boolean> {
  const { BlockList, isIP } = await import("node:net");
  const [address = "", bits] = subnet.split("/");
  if (isIP(host) === 0 || isIP(address) !== isIP(host)) return false;
  const family = isIP(host) === 4 ? "ipv4" : "ipv6";
  const width = family === "ipv4" ? 32 : 128;
  if (bits !== undefined && (!/^\d{1,3}$/.test(bits) || Number(bits) > width)) return false;
  const subnets = new BlockList();
  subnets.addSubnet(address, Number(bits ?? width), family);
  return subnets.check(host, family);
}
