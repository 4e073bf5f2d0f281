import type { GatewayResponse, HttpProtocol, Rejection } from "./gateway-request.ts";

interface ServiceState {
  /** Reasons why the gateway cannot serve; empty if it can. */
  readonly unreadyReasons: () => readonly string[];
  /** Returns the metrics; `undefined` if there are none yet. */
  readonly metrics: () => Promise<{ readonly type: string; readonly text: string } | undefined>;
}

const paths = ["/healthz", "/readyz", "/metrics"];

/** Paths that are served without authentication. */
export const servicePaths: readonly string[] = ["/healthz", "/readyz"];

/** Name of the protocol of health checks and metrics. */
export const serviceName = "service";

/** Serves health checks and metrics. */
export function serviceProtocol({ unreadyReasons, metrics }: ServiceState): HttpProtocol {
  return {
    name: serviceName,
    owns: (path) => paths.includes(path),
    async respond({ method, path }) {
      if (method !== "GET" && method !== "HEAD") return plain(405, "", { allow: "GET, HEAD" });
      if (path === "/healthz") return plain(200, "ok\n");
      if (path === "/metrics") {
        const { type = "text/plain", text = "" } = (await metrics()) ?? {};
        return { status: 200, headers: { "content-type": type }, body: text };
      }
      const reasons = unreadyReasons();
      return reasons.length === 0 ? plain(200, "ok\n") : plain(503, `${reasons.join("\n")}\n`, { "retry-after": "1" });
    },
    reject,
  };
}

/** Rejects every path, because another gateway serves it. */
export const waitingProtocol: HttpProtocol = {
  name: "none",
  owns: () => true,
  respond: async () => plain(503, "Another gateway serves the applications.\n", { "retry-after": "1" }),
  reject,
};

/** Rejects every path. */
export const unknownPaths: HttpProtocol = {
  name: "none",
  owns: () => true,
  respond: async () => plain(404, "This path does not exist.\n"),
  reject,
};

function reject({ status, message, headers }: Rejection): GatewayResponse {
  return plain(status, `${message}\n`, headers);
}

function plain(status: number, body: string, headers: Readonly<Record<string, string>> = {}): GatewayResponse {
  return { status, headers: { "content-type": "text/plain; charset=utf-8", ...headers }, body };
}
