import { type Route, router } from "../../http/route.ts";
import type { GatewayRequest, GatewayResponse } from "../http/gateway-request.ts";
import { problem } from "./problem.ts";

/** Path parameters of a request by their names. */
type Parameters = Readonly<Record<string, string>>;

/** Responds to a request by the route that it matches, and otherwise with 404 or 405. A `HEAD` request has the route of `GET`. */
export function routeRequest<R>(
  routes: readonly Route<R>[],
  run: (action: R, request: GatewayRequest, parameters: Parameters) => Promise<GatewayResponse>,
): (request: GatewayRequest) => Promise<GatewayResponse> {
  const find = router(routes);
  return async (request) => {
    const method = request.method === "HEAD" ? "GET" : request.method;
    const match = find(method, request.path);
    if (match.kind === "unknown") return problem({ status: 404, message: "This path does not exist." });
    if (match.kind === "wrongMethod") {
      const headers = { allow: match.allowed.join(", ") };
      return problem({ status: 405, message: `${method} is not allowed here.`, headers });
    }
    return run(match.route.run, request, match.parameters);
  };
}
