import type { JsonObject } from "../json.ts";
import { methodNotAllowed, pathNotFound } from "../status.ts";
import type { Representation } from "../wire/accept.ts";
import type { BodyResult } from "../wire/respond.ts";
import { aggregatedDiscovery, apiVersions, groupDocument, groupList, groups, resourceList } from "./groups.ts";
import { groupOfDocument, openApiDocument, openApiIndex } from "./openapi.ts";

/** The version response: the Kubernetes release whose behavior the API has. */
const version: JsonObject = {
  major: "1",
  minor: "35",
  gitVersion: "v1.35.4+firesteel",
  gitCommit: "",
  gitTreeState: "clean",
  buildDate: "2026-01-01T00:00:00Z",
  goVersion: "",
  compiler: "",
  platform: "linux/amd64",
};

const health = /^\/(healthz|livez|readyz)(\/(ping|log|etcd))?$/;

interface PathRequest {
  readonly method: string;
  /** The decoded path, without the query. */
  readonly path: string;
  readonly representation: Representation;
  /** `host:port` of the server. */
  readonly serverAddress: string;
}

/** Responds to requests for paths that are not resources: version, health, discovery. @throws StatusError */
export function servePath({ method, path, representation, serverAddress }: PathRequest): BodyResult {
  const trimmed = path.length > 1 ? path.replace(/\/$/, "") : path;
  const found = health.test(trimmed) ? text(200, "ok") : documentAt(trimmed, representation, serverAddress);
  if (found === undefined) return notFoundText();
  if (method !== "GET") throw methodNotAllowed();
  return found;
}

/** Builds the plain text 404 for unknown paths. */
export function notFoundText(): BodyResult {
  return text(404, "404 page not found\n");
}

function text(status: number, content: string): BodyResult {
  return { type: "text", status, text: content };
}

function json(object: JsonObject): BodyResult {
  return { type: "object", status: 200, object };
}

function documentAt(
  path: string,
  { view, version: requested }: Representation,
  serverAddress: string,
): BodyResult | undefined {
  switch (path) {
    case "/":
      return json({
        paths: [
          "/api",
          "/api/v1",
          "/apis",
          ...groups.map((group) => `/apis/${group}`),
          "/healthz",
          "/livez",
          "/openapi/v3",
          "/readyz",
          "/version",
        ],
      });
    case "/version":
      return json(version);
    case "/api":
      return json(view === "discovery" ? aggregatedDiscovery("/api", requested) : apiVersions(serverAddress));
    case "/apis":
      return json(view === "discovery" ? aggregatedDiscovery("/apis", requested) : groupList());
    case "/api/v1":
      return json(resourceList(""));
    case "/openapi/v3":
      // Sent as text/plain although it is JSON, as Kubernetes does.
      return text(200, JSON.stringify(openApiIndex()));
    case "/openapi/v2":
      // Exists for clients that check its existence; only version 3 describes the kinds.
      return json({ swagger: "2.0", info: { title: "Kubernetes", version: "v1.35" }, paths: {} });
    default:
      return groupAt(path);
  }
}

function groupAt(path: string): BodyResult | undefined {
  if (path.startsWith("/openapi/v3/")) {
    const group = groupOfDocument(path.slice("/openapi/v3/".length));
    return group === undefined ? undefined : json(openApiDocument(group));
  }
  const [root, group = "", release, ...rest] = path.slice(1).split("/");
  if (root === "api" && release === undefined) throw pathNotFound();
  if (root !== "apis" || rest.length > 0) return undefined;
  const document = groupDocument(group);
  if (document === undefined) return undefined;
  if (release === undefined) return json(document);
  if (release !== "v1") throw pathNotFound();
  return json(resourceList(group));
}
