import type { GatewayRequest, GatewayResponse } from "../http/gateway-request.ts";
import { empty, json, page } from "./responses.ts";

/** Version whose behavior the gateway has. Clients compare it with the releases that they support. */
const livyVersion = "0.9.0-incubating";

const paths = ["/", "/version", "/metrics/ping", "/ui", "/ui/"];

interface ServerPathCall {
  /** Path of the links in pages. */
  readonly root: string;
}

/** Returns whether a path says something about the server, not about batches or sessions. */
export function isServerPath(path: string): boolean {
  return paths.includes(path);
}

/** Serves such a path. */
export function serveServerPath(
  { path, method }: Pick<GatewayRequest, "path" | "method">,
  { root }: ServerPathCall,
): GatewayResponse {
  if (method !== "GET" && method !== "HEAD") return empty(405, { allow: "GET, HEAD" });
  switch (path) {
    case "/version":
      return json(200, { version: livyVersion, user: "firesteel", revision: "", branch: "", date: "", url: "" });
    case "/metrics/ping":
      return { status: 200, headers: { "content-type": "text/plain;charset=utf-8" }, body: "pong\n" };
    case "/":
      return { status: 302, headers: { location: `${root}/ui`, "content-type": "text/html;charset=utf-8" } };
    default:
      return page(
        200,
        "Firesteel gateway",
        `<h1>Firesteel gateway</h1><p><a href="${encodeURI(root)}/batches">Batches</a> as JSON</p>`,
      );
  }
}
