import { submitError } from "../../errors/submit-error.ts";
import type { Host } from "../../host/host.ts";
import { percentDecoded } from "../../values/percent-decoding.ts";
import { basicAuthorization } from "../basic-authorization.ts";

/** Returns whether a proxy uses SOCKS and so forwards any bytes. */
export function isSocks({ protocol }: URL): boolean {
  return protocol === "socks5:" || protocol === "socks5h:";
}

/** Builds the `Proxy-Authorization` header, if the proxy's URL names a user. */
export function proxyAuthorization({ username, password }: URL): Readonly<Record<string, string>> {
  if (username === "") return {};
  return { "proxy-authorization": basicAuthorization(percentDecoded(username), percentDecoded(password)) };
}

/** @throws SUBMIT_ERR_KUBE_PROXY */
export function parseProxy(variable: string, text: string, env: Host["env"]): URL {
  const url = text.includes("://") ? text : `http://${text}`;
  const proxy = URL.canParse(url) ? new URL(url) : undefined;
  const isKnown = proxy !== undefined && (/^https?:$/.test(proxy.protocol) || isSocks(proxy));
  if (!isKnown || proxy.hostname === "") throw submitError("SUBMIT_ERR_KUBE_PROXY", { variable });
  const user = env["PROXY_USERNAME"];
  if (proxy.username === "" && user !== undefined) {
    proxy.username = encodeURIComponent(user);
    proxy.password = encodeURIComponent(env["PROXY_PASSWORD"] ?? "");
  }
  return proxy;
}
