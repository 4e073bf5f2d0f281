import { submitError } from "../errors/submit-error.ts";
import type { Host } from "../host/host.ts";
import { addressOf } from "./address.ts";

/**
 * The HTTP proxy on the way to a server: by the environment, else by the kubeconfig. Names in capitals only.
 *
 * Source: Spark's Kubernetes client library.
 *
 * @throws SUBMIT_ERR_KUBE_PROXY
 */
export async function proxyFor(
  server: URL,
  env: Host["env"],
  fromKubeconfig: string | undefined,
): Promise<URL | undefined> {
  const own = server.protocol === "http:" ? "HTTP_PROXY" : "HTTPS_PROXY";
  const candidates = [
    { variable: own, text: env[own] },
    { variable: "ALL_PROXY", text: env["ALL_PROXY"] },
    { variable: "proxy-url", text: fromKubeconfig },
  ];
  const { variable = "", text = "" } = candidates.find((candidate) => (candidate.text ?? "") !== "") ?? {};
  if (text === "" || (await isExempt(server, env["NO_PROXY"] ?? ""))) return undefined;
  const proxy = parseProxy(text);
  if (proxy === undefined) throw submitError("SUBMIT_ERR_KUBE_PROXY", { variable });
  const user = env["PROXY_USERNAME"];
  if (proxy.username === "" && user !== undefined) {
    proxy.username = encodeURIComponent(user);
    proxy.password = encodeURIComponent(env["PROXY_PASSWORD"] ?? "");
  }
  return proxy;
}

/** The header by which a proxy knows us, if its URL names a user. */
export function proxyAuthorization({ username, password }: URL): Readonly<Record<string, string>> {
  if (username === "") return {};
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { "proxy-authorization": `Basic ${Buffer.from(pair).toString("base64")}` };
}

function parseProxy(text: string): URL | undefined {
  const url = text.includes("://") ? text : `http://${text}`;
  if (!URL.canParse(url)) return undefined;
  const proxy = new URL(url);
  return ["http:", "https:"].includes(proxy.protocol) ? proxy : undefined;
}

/** Whether a list like `localhost,.example.com,10.0.0.0/8` names the server. */
async function isExempt(server: URL, list: string): Promise<boolean> {
  const { host } = addressOf(server);
  for (const item of list.split(",").map((text) => text.trim().toLowerCase())) {
    if (item === "") continue;
    if (item === "*" || item === host || item === server.host) return true;
    const domain = item.replace(/^\*?\./, "");
    if (host === domain || host.endsWith(`.${domain}`)) return true;
    if (item.includes("/") && (await isInSubnet(host, item))) return true;
  }
  return false;
}

async function isInSubnet(host: string, subnet: string): Promise<boolean> {
  const { BlockList, isIP } = await import("node:net");
  const [address = "", bits = ""] = subnet.split("/");
  if (isIP(host) === 0 || isIP(address) !== isIP(host) || !/^\d{1,3}$/.test(bits)) return false;
  const family = isIP(host) === 4 ? "ipv4" : "ipv6";
  if (Number(bits) > (family === "ipv4" ? 32 : 128)) return false;
  const subnets = new BlockList();
  subnets.addSubnet(address, Number(bits), family);
  return subnets.check(host, family);
}
