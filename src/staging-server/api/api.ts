import { BodyError } from "../../http/message-body.ts";
import { type Route, router } from "../../http/route.ts";
import { type HttpExchange, refuse } from "../../http/serve.ts";
import { apiRoot } from "../../staging-client/protocol.ts";
import { Problem, problemBody } from "../context/problem.ts";
import type { ServerScope } from "../context/scope.ts";
import { BusyError } from "../store/byte-budget.ts";
import { isFull } from "../store/is-full.ts";
import { createBundle, deleteBundle, readEntry, readManifest, renewBundle } from "./bundles.ts";
import type { ApiAction, ApiCall, ApiResponse } from "./call.ts";
import { ping, readResources, stageResources } from "./resources.ts";
import { serveHealth, serveInfo, serveMetrics, serveReadiness } from "./service.ts";
import { abortUpload, appendUpload, commitUpload, createUpload, serveMissing, serveOffset } from "./uploads.ts";

/** Routes of the API. */
const routes: readonly Route<ApiAction>[] = [
  { method: "GET", path: "/healthz", run: serveHealth },
  { method: "GET", path: "/readyz", run: serveReadiness },
  { method: "GET", path: "/metrics", run: serveMetrics },
  { method: "GET", path: "/api/v0/ping", run: ping },
  { method: "POST", path: "/api/v0/resources", run: stageResources },
  { method: "POST", path: "/api/v0/resources/", run: stageResources },
  { method: "GET", path: "/api/v0/resources/{id}", run: readResources },
  { method: "GET", path: `${apiRoot}/info`, run: serveInfo },
  { method: "POST", path: `${apiRoot}/blobs:missing`, run: serveMissing },
  { method: "POST", path: `${apiRoot}/uploads`, run: createUpload },
  { method: "HEAD", path: `${apiRoot}/uploads/{id}`, run: serveOffset },
  { method: "PATCH", path: `${apiRoot}/uploads/{id}`, run: appendUpload },
  { method: "DELETE", path: `${apiRoot}/uploads/{id}`, run: abortUpload },
  { method: "POST", path: `${apiRoot}/uploads/{id}:commit`, run: commitUpload },
  { method: "POST", path: `${apiRoot}/bundles`, run: createBundle },
  { method: "GET", path: `${apiRoot}/bundles/{id}`, run: readManifest },
  { method: "DELETE", path: `${apiRoot}/bundles/{id}`, run: deleteBundle },
  { method: "GET", path: `${apiRoot}/bundles/{id}/entries/{index}`, run: readEntry },
  { method: "POST", path: `${apiRoot}/bundles/{id}:renew`, run: renewBundle },
];

/** Returns the request listener. Reports each failure as a response with a problem. */
export function stagingApi(scope: ServerScope): (exchange: HttpExchange) => Promise<void> {
  const find = router(routes);
  const { clock, random } = scope.host;
  return async (exchange) => {
    const started = clock.monotonic();
    const requestId = random.uuid();
    const { method = "", url = "" } = exchange.request;
    const match = find(method, url.split("?")[0] ?? "");
    try {
      if (match.kind === "unknown") throw new Problem("NOT_FOUND", "This path does not exist.");
      if (match.kind === "wrongMethod") throw wrongMethod(method, match.allowed);
      const call: ApiCall = { ...exchange, requestId, parameters: match.parameters };
      const result = await match.route.run(scope, call);
      if (result !== undefined) await send(scope, exchange, result);
    } catch (error) {
      await sendProblem(scope, exchange, requestId, error);
    } finally {
      const route = match.kind === "found" ? `${method} ${match.route.path}` : "unknown";
      scope.metrics.recordResponse(route, exchange.response.statusCode, (clock.monotonic() - started) / 1000);
    }
  };
}

function send({ host }: ServerScope, exchange: HttpExchange, result: ApiResponse): Promise<void> {
  const { status, headers = {}, json, text = json === undefined ? "" : JSON.stringify(json) } = result;
  const type = json === undefined ? {} : { "content-type": "application/json" };
  if (status === 204 || status === 304 || exchange.request.method === "HEAD") {
    exchange.response.writeHead(status, headers).end();
    return Promise.resolve();
  }
  return refuse(exchange, host.clock, { status, headers: { ...type, ...headers }, body: Buffer.from(text) });
}

async function sendProblem(
  scope: ServerScope,
  exchange: HttpExchange,
  requestId: string,
  error: unknown,
): Promise<void> {
  const { request, response } = exchange;
  const problem = toProblem(error);
  if (problem.status >= 500) {
    const { cause } = problem.details;
    const fields = {
      requestId,
      code: problem.code,
      path: request.url?.split("?")[0],
      cause: String(cause ?? ""),
    };
    scope.log(problem.code === "INTERNAL" ? "ERROR" : "WARN", problem.message, fields);
  }
  // The response has started. Close the connection, so that the client does not take a part for the complete content.
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  const mustClose = error instanceof BodyError;
  await send(scope, exchange, {
    status: problem.status,
    headers: { ...problem.details.headers, ...(mustClose ? { connection: "close" } : {}) },
    json: problemBody(problem, requestId),
  });
}

function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof BodyError) {
    switch (error.kind) {
      case "tooLarge":
        return new Problem("TOO_LARGE", "The body is too long.");
      case "idle":
        return new Problem("IDLE", "No data of the body arrived within the idle timeout.");
      case "cut":
        return new Problem("BAD_REQUEST", "The body ended before its announced length.");
    }
  }
  if (error instanceof BusyError) {
    const headers = { "retry-after": "5" };
    return new Problem("UNAVAILABLE", "The server is busy.", { cause: error, headers });
  }
  if (isFull(error)) return new Problem("STORE_FULL", "The store is full.", { cause: error });
  return new Problem("INTERNAL", "The server failed; see its log.", { cause: error });
}

function wrongMethod(method: string, allowed: readonly string[]): Problem {
  const headers = { allow: allowed.join(", ") };
  return new Problem("METHOD_NOT_ALLOWED", `${method} is not allowed for this path.`, { headers });
}
