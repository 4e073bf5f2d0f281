import { BodyError } from "../../http/message-body.ts";
import { type Route, router } from "../../http/route.ts";
import { type HttpExchange, refuse } from "../../http/serve.ts";
import { apiRoot } from "../../staging-client/protocol.ts";
import { Problem, problemBody } from "../problem.ts";
import type { ServerScope } from "../scope.ts";
import { BusyError } from "../store/s3/byte-budget.ts";
import { createBundle, deleteBundle, readEntry, readManifest, renewBundle } from "./bundles.ts";
import type { ApiAction, ApiCall, ApiResponse } from "./call.ts";
import { ping, readResources, stageResources } from "./resources.ts";
import { serveHealth, serveInfo, serveMetrics, serveReadiness } from "./service.ts";
import {
  abandonUpload,
  beginUpload,
  commitUpload,
  continueUpload,
  isFull,
  serveMissing,
  serveOffset,
} from "./uploads.ts";

/** Everything that the server answers. */
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
  { method: "POST", path: `${apiRoot}/uploads`, run: beginUpload },
  { method: "HEAD", path: `${apiRoot}/uploads/{id}`, run: serveOffset },
  { method: "PATCH", path: `${apiRoot}/uploads/{id}`, run: continueUpload },
  { method: "DELETE", path: `${apiRoot}/uploads/{id}`, run: abandonUpload },
  { method: "POST", path: `${apiRoot}/uploads/{id}:commit`, run: commitUpload },
  { method: "POST", path: `${apiRoot}/bundles`, run: createBundle },
  { method: "GET", path: `${apiRoot}/bundles/{id}`, run: readManifest },
  { method: "DELETE", path: `${apiRoot}/bundles/{id}`, run: deleteBundle },
  { method: "GET", path: `${apiRoot}/bundles/{id}/entries/{index}`, run: readEntry },
  { method: "POST", path: `${apiRoot}/bundles/{id}:renew`, run: renewBundle },
];

/** Answers every request; what goes wrong is an answer too. */
export function stagingApi(scope: ServerScope): (exchange: HttpExchange) => Promise<void> {
  const find = router(routes);
  const { clock, random } = scope.host;
  return async (exchange) => {
    const started = clock.monotonic();
    const requestId = random.uuid();
    const { method = "", url = "" } = exchange.request;
    const match = find(method, url.split("?")[0] ?? "");
    try {
      if (match.kind === "unknown") throw new Problem("NOT_FOUND", "There is nothing at this address.");
      if (match.kind === "wrongMethod") throw wrongMethod(method, match.allowed);
      const call: ApiCall = { ...exchange, requestId, parameters: match.parameters };
      const answer = await match.route.run(scope, call);
      if (answer !== undefined) await send(scope, exchange, answer);
    } catch (error) {
      await sendProblem(scope, exchange, requestId, error);
    } finally {
      const route = match.kind === "found" ? `${method} ${match.route.path}` : "unknown";
      scope.metrics.answered(route, exchange.response.statusCode, (clock.monotonic() - started) / 1000);
    }
  };
}

function send({ host }: ServerScope, exchange: HttpExchange, answer: ApiResponse): Promise<void> {
  const { status, headers = {}, json, text = json === undefined ? "" : JSON.stringify(json) } = answer;
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
    const told = {
      requestId,
      code: problem.code,
      path: request.url?.split("?")[0],
      cause: String(cause ?? ""),
    };
    scope.log(problem.code === "INTERNAL" ? "ERROR" : "WARN", problem.message, told);
  }
  // Half of a content that pretends to be whole would be worse than none.
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  const isClosed = error instanceof BodyError;
  await send(scope, exchange, {
    status: problem.status,
    headers: { ...problem.details.headers, ...(isClosed ? { connection: "close" } : {}) },
    json: problemBody(problem, requestId),
  });
}

function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof BodyError) {
    switch (error.kind) {
      case "tooLarge":
        return new Problem("TOO_LARGE", "The body is longer than it may be.");
      case "idle":
        return new Problem("IDLE", "Nothing of the body has come for too long.");
      case "cut":
        return new Problem("BAD_REQUEST", "The body has ended too early.");
    }
  }
  if (error instanceof BusyError) {
    const headers = { "retry-after": "5" };
    return new Problem("UNAVAILABLE", "The server is busy.", { cause: error, headers });
  }
  if (isFull(error)) return new Problem("STORE_FULL", "The store is full.", { cause: error });
  return new Problem("INTERNAL", "The server has failed; its log says why.", { cause: error });
}

function wrongMethod(method: string, allowed: readonly string[]): Problem {
  const headers = { allow: allowed.join(", ") };
  return new Problem("METHOD_NOT_ALLOWED", `${method} is not allowed here.`, { headers });
}
