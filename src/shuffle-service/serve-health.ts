import type { Host } from "../host/host.ts";
import { router } from "../http/route.ts";
import { type HttpExchange, type HttpServer, openHttpServer, refuse } from "../http/serve.ts";
import type { ServerLog } from "../http/server-log.ts";
import type { ServiceMetrics } from "./metrics.ts";

/** Dependencies of the health checks. */
interface HealthContext {
  readonly host: Pick<Host, "clock">;
  readonly log: ServerLog;
  readonly metrics: ServiceMetrics;
  /** Lists the reasons why the service is not ready. */
  readonly unreadyReasons: () => readonly string[];
}

interface Response {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

/** Opens the port of `/metrics`, `/healthz` and `/readyz`. @throws Node's error, e.g. EADDRINUSE */
export async function serveHealth(
  { host, log, metrics, unreadyReasons }: HealthContext,
  { address, port }: { readonly address: string | undefined; readonly port: number },
): Promise<HttpServer> {
  const routes: readonly { method: string; path: string; run: () => Promise<Response> | Response }[] = [
    { method: "GET", path: "/healthz", run: () => ({ status: 200, type: "text/plain", text: "ok" }) },
    {
      method: "GET",
      path: "/readyz",
      run() {
        const reasons = unreadyReasons();
        const text = JSON.stringify({ ready: reasons.length === 0, reasons });
        return { status: reasons.length === 0 ? 200 : 503, type: "application/json", text };
      },
    },
    { method: "GET", path: "/metrics", run: async () => ({ status: 200, ...(await metrics.print()) }) },
  ];
  const find = router(routes);
  return await openHttpServer({
    ...{ address: address ?? "::", port, clock: host.clock, healthPaths: routes.map(({ path }) => path) },
    onOverload: (count) => log("WARN", "All connections for metrics are in use.", { count }),
    async respond(exchange: HttpExchange) {
      const { method = "", url = "" } = exchange.request;
      const match = find(method, url.split("?")[0] ?? "");
      const notFound = { status: match.kind === "unknown" ? 404 : 405, type: "text/plain", text: "not found\n" };
      const { status, type, text } = match.kind === "found" ? await match.route.run() : notFound;
      await refuse(exchange, host.clock, { status, headers: { "content-type": type }, body: Buffer.from(text) });
    },
  });
}
