import type { Host } from "../host.ts";
import { parseProxy } from "./proxy-url.ts";

/** Proxy settings besides the environment. */
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
