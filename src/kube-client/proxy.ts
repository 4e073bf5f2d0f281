import { submitError } from "../errors/submit-error.ts";
import type { Host } from "../host/host.ts";

/** Who may name a proxy, besides the environment. */
export interface ProxyOptions {
  /** The `proxy-url` of the kubeconfig's cluster. */
  readonly fromKubeconfig?: string | undefined;
  /**
   * As Spark's client: the environment beats the kubeconfig, its names are in capitals only, and this machine is reached
   * through the proxy too. Else as kubectl.
   *
   * @default false
   */
  readonly strict?: boolean;
}

/**
 * The proxy on the way to a server, by the environment or the kubeconfig.
 *
 * Source: Spark's Kubernetes client library; client-go and golang.org/x/net/http/httpproxy. `ALL_PROXY` is Spark's alone.
 *
 * @throws SUBMIT_ERR_KUBE_PROXY
 */
export async function proxyFor(
  server: URL,
  env: Host["env"],
  { fromKubeconfig, strict = false }: ProxyOptions = {},
): Promise<URL | undefined> {
  const own = server.protocol === "http:" ? "HTTP_PROXY" : "HTTPS_PROXY";
  const names = [own, "ALL_PROXY"].flatMap((name) => (strict ? [name] : [name, name.toLowerCase()]));
  const byEnvironment = names.map((variable) => ({ variable, text: env[variable] }));
  const byKubeconfig = { variable: "proxy-url", text: fromKubeconfig };
  const candidates = strict ? [...byEnvironment, byKubeconfig] : [byKubeconfig, ...byEnvironment];
  const { variable = "", text = "" } = candidates.find((candidate) => (candidate.text ?? "") !== "") ?? {};
  if (text === "") return undefined;
  if (strict || variable !== byKubeconfig.variable) {
    const { isExempt, isLoopback } = await import("./no-proxy.ts");
    const list = env["NO_PROXY"] || (strict ? "" : env["no_proxy"]) || "";
    if ((!strict && isLoopback(server)) || (await isExempt(server, list))) return undefined;
  }
  return parseProxy(variable, text, env);
}

/** Whether a proxy forwards bytes whatever they are, without HTTP. */
export function isSocks({ protocol }: URL): boolean {
  return protocol === "socks5:" || protocol === "socks5h:";
}

/** The header by which a proxy knows us, if its URL names a user. */
export function proxyAuthorization({ username, password }: URL): Readonly<Record<string, string>> {
  if (username === "") return {};
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { "proxy-authorization": `Basic ${Buffer.from(pair).toString("base64")}` };
}

function parseProxy(variable: string, text: string, env: Host["env"]): URL {
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
