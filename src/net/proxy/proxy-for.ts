import type { Host } from "../../host/host.ts";
import { parseProxy } from "./proxy-url.ts";

/** Proxy settings besides the environment. */
interface ProxyOptions {
  /** The `proxy-url` of the kubeconfig's cluster. */
  readonly fromKubeconfig?: string | undefined;
  /**
   * `spark`: the environment overrides the kubeconfig, its names are upper case only, and loopback addresses use the proxy too.
   *
   * @default "kubectl"
   */
  readonly rules?: "kubectl" | "spark" | undefined;
}

/**
 * Returns the proxy for a server, from the environment or the kubeconfig.
 *
 * Source: Spark's Kubernetes client library; client-go and golang.org/x/net/http/httpproxy. `ALL_PROXY` is Spark's alone.
 *
 * @throws SUBMIT_ERR_KUBE_PROXY
 */
export async function proxyFor(
  server: URL,
  env: Host["env"],
  { fromKubeconfig, rules = "kubectl" }: ProxyOptions = {},
): Promise<URL | undefined> {
  const asSpark = rules === "spark";
  const own = server.protocol === "http:" ? "HTTP_PROXY" : "HTTPS_PROXY";
  const names = [own, "ALL_PROXY"].flatMap((name) => (asSpark ? [name] : [name, name.toLowerCase()]));
  const byEnvironment = names.map((variable) => ({ variable, text: env[variable] }));
  const byKubeconfig = { variable: "proxy-url", text: fromKubeconfig };
  const candidates = asSpark ? [...byEnvironment, byKubeconfig] : [byKubeconfig, ...byEnvironment];
  const { variable = "", text = "" } = candidates.find((candidate) => (candidate.text ?? "") !== "") ?? {};
  if (text === "") return undefined;
  if (asSpark || variable !== byKubeconfig.variable) {
    const { isExempt, isLoopback } = await import("./no-proxy.ts");
    const list = env["NO_PROXY"] || (asSpark ? "" : env["no_proxy"]) || "";
    if ((!asSpark && isLoopback(server)) || (await isExempt(server, list))) return undefined;
  }
  return parseProxy(variable, text, env);
}
