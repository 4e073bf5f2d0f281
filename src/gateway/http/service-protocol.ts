import type { HttpProtocol } from "./gateway-request.ts";
import { rejectAsText, textResponse } from "./text-response.ts";

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
      if (method !== "GET" && method !== "HEAD") return textResponse(405, "", { allow: "GET, HEAD" });
      if (path === "/healthz") return textResponse(200, "ok");
      if (path === "/metrics") {
        const { type = "text/plain", text = "" } = (await metrics()) ?? {};
        return { status: 200, headers: { "content-type": type }, body: text };
      }
      const reasons = unreadyReasons();
      return reasons.length === 0
        ? textResponse(200, "ok")
        : textResponse(503, reasons.join("\n"), { "retry-after": "1" });
    },
    reject: rejectAsText,
  };
}

/** Rejects every path, because another gateway serves it. */
export const waitingProtocol: HttpProtocol = {
  name: "none",
  owns: () => true,
  respond: async () => textResponse(503, "Another gateway serves the applications.", { "retry-after": "1" }),
  reject: rejectAsText,
};

/** Rejects every path. */
export const unknownPaths: HttpProtocol = {
  name: "none",
  owns: () => true,
  respond: async () => textResponse(404, "This path does not exist."),
  reject: rejectAsText,
};
