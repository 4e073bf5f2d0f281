import type { GatewayRequest, GatewayResponse } from "../http/gateway-request.ts";
import { empty, json } from "./responses.ts";

/** Version whose behavior the gateway has. Clients compare it with the releases that they support. */
const livyVersion = "0.9.0-incubating";

const paths = ["/version", "/metrics/ping"];

/** Returns whether a path says something about the server, not about batches or sessions. */
export function isServerPath(path: string): boolean {
  return paths.includes(path);
}

/** Serves such a path. */
export function serveServerPath({ path, method }: Pick<GatewayRequest, "path" | "method">): GatewayResponse {
  if (method !== "GET" && method !== "HEAD") return empty(405, { allow: "GET, HEAD" });
  if (path === "/metrics/ping")
    return { status: 200, headers: { "content-type": "text/plain;charset=utf-8" }, body: "pong\n" };
  return json(200, { version: livyVersion, user: "firesteel", revision: "", branch: "", date: "", url: "" });
}
