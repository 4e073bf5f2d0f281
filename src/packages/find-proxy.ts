import type { Host } from "../host/host.ts";
import type { FindProxy } from "../net/http-connections.ts";
import { proxyFor } from "../net/proxy/proxy-for.ts";
import { parseProxy } from "../net/proxy/proxy-url.ts";
import type { MavenProxy } from "./maven-settings.ts";

/** Returns the proxy for a repository from the environment, otherwise from Maven's settings. */
export function proxiesOf(env: Host["env"], proxies: readonly MavenProxy[]): FindProxy {
  return async (server) => {
    const ofMaven = [server.protocol, "http:"]
      .map((scheme) => proxies.find(({ protocol }) => `${protocol}:` === scheme))
      .find((found) => found !== undefined);
    const names = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"].flatMap((name) => [name, name.toLowerCase()]);
    const isConfigured = names.some((name) => (env[name] ?? "") !== "");
    if (isConfigured || ofMaven === undefined) return proxyFor(server, env);
    if (isListed(server.hostname, ofMaven.nonProxyHosts)) return undefined;
    const url = parseProxy(`proxy ${ofMaven.id} of Maven's settings`, ofMaven.address, {});
    url.username = encodeURIComponent(ofMaven.user);
    url.password = encodeURIComponent(ofMaven.password);
    return url;
  };
}

/** Whether a list of Maven or Java, with names separated by `|` and `*` for any characters, contains a name. */
function isListed(hostname: string, list: string): boolean {
  return list
    .split("|")
    .filter((pattern) => pattern !== "")
    .some((pattern) => {
      const parts = pattern.split("*").map((part) => part.replace(/[.+^$?()|{}\\[\]]/g, "\\$&"));
      return new RegExp(`^${parts.join(".*")}$`, "i").test(hostname);
    });
}
