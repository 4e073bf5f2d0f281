import { type Tokens, tokenIssuer } from "../access/tokens.ts";
import type { JsonObject } from "../json.ts";
import type { ServedKinds } from "../served-kinds.ts";
import { methodNotAllowed, pathNotFound } from "../status.ts";
import type { Representation } from "../wire/accept.ts";
import type { BodyResult } from "../wire/respond.ts";
import { aggregatedDiscovery, apiVersions, groupDocument, groupList, resourceList } from "./groups.ts";
import { groupVersionOfDocument, openApiDocument, openApiIndex } from "./openapi.ts";
import { openApiV2, openApiV2Protobuf } from "./openapi-v2.ts";

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
  readonly kinds: ServedKinds;
  /** `host:port` of the server. */
  readonly serverAddress: string;
  readonly tokens: Pick<Tokens, "keySet">;
}

/** Responds to requests for paths that are not resources: version, health, discovery. @throws StatusError */
export function servePath(request: PathRequest): BodyResult {
  const { method, path } = request;
  const trimmed = path.length > 1 ? path.replace(/\/$/, "") : path;
  const found = health.test(trimmed) ? text(200, "ok") : documentAt(trimmed, request);
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
  { representation, kinds, serverAddress, tokens }: PathRequest,
): BodyResult | undefined {
  const { view, version: requested } = representation;
  switch (path) {
    case "/":
      return json({
        paths: [
          "/api",
          "/api/v1",
          "/apis",
          ...kinds.groups().map((group) => `/apis/${group}`),
          "/healthz",
          "/livez",
          "/openapi/v3",
          "/readyz",
          "/version",
        ],
      });
    case "/version":
      return json(version);
    // OpenID Connect Discovery 1.0: how others verify the tokens of service accounts.
    case "/.well-known/openid-configuration":
      return json({
        issuer: tokenIssuer,
        jwks_uri: `https://${serverAddress}/openid/v1/jwks`,
        response_types_supported: ["id_token"],
        subject_types_supported: ["public"],
        id_token_signing_alg_values_supported: ["ES256"],
      });
    case "/openid/v1/jwks":
      return json(tokens.keySet());
    case "/api":
      return json(view === "discovery" ? aggregatedDiscovery(kinds, "/api", requested) : apiVersions(serverAddress));
    case "/apis":
      return json(view === "discovery" ? aggregatedDiscovery(kinds, "/apis", requested) : groupList(kinds));
    case "/api/v1":
      return json(resourceList(kinds, { group: "", version: "v1" }));
    case "/openapi/v3":
      // Sent as text/plain although it is JSON, as Kubernetes does.
      return text(200, JSON.stringify(openApiIndex(kinds)));
    case "/openapi/v2":
      return representation.media === "protobuf" ? openApiV2Protobuf() : json(openApiV2(kinds));
    default:
      return groupAt(path, kinds);
  }
}

function groupAt(path: string, kinds: ServedKinds): BodyResult | undefined {
  if (path.startsWith("/openapi/v3/")) {
    const found = groupVersionOfDocument(kinds, path.slice("/openapi/v3/".length));
    return found === undefined ? undefined : json(openApiDocument(kinds, found));
  }
  const [root, group = "", release, ...rest] = path.slice(1).split("/");
  if (root === "api" && release === undefined) throw pathNotFound();
  if (root !== "apis" || rest.length > 0) return undefined;
  const document = groupDocument(kinds, group);
  if (document === undefined) return undefined;
  if (release === undefined) return json(document);
  if (!kinds.versionsOf(group).includes(release)) throw pathNotFound();
  return json(resourceList(kinds, { group, version: release }));
}
