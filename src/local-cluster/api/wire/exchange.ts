import type { ApiRequest } from "../../../kube/transport.ts";
import type { RequestAttributes } from "../access/authorize.ts";
import { pathNotFound } from "../status.ts";
import { flag } from "./query.ts";
import { parseTarget, type Target } from "./target.ts";

/** A request with its parsed path. */
export interface Exchange {
  readonly request: ApiRequest;
  readonly target: Target;
  readonly query: URLSearchParams;
}

/** Parses a request's path. @throws StatusError 404 for an invalid encoding */
export function openExchange(request: ApiRequest): Exchange {
  const [path = "", query = ""] = request.path.split(/\?(.*)/s);
  const target = parseTarget(path);
  if (target === undefined) throw pathNotFound();
  return { request, target, query: new URLSearchParams(query) };
}

const verbs: Readonly<Record<string, { readonly one: string; readonly all: string }>> = {
  GET: { one: "get", all: "list" },
  HEAD: { one: "get", all: "list" },
  POST: { one: "create", all: "create" },
  PUT: { one: "update", all: "update" },
  PATCH: { one: "patch", all: "patch" },
  DELETE: { one: "delete", all: "deletecollection" },
  // As in Kubernetes, such a request has no verb.
  OPTIONS: { one: "", all: "" },
};

/** Returns the attributes of a request that authorization checks. */
export function requestAttributes({ request, target, query }: Exchange): RequestAttributes {
  const { method } = request;
  if (target.type === "path") {
    return { verb: (verbs[method]?.one ?? method).toLowerCase(), path: target.path };
  }
  const { group, plural: resource, subresource, namespace, name } = target;
  const named = name ?? nameInSelector(query);
  const own = resource === "namespaces" ? (name ?? namespace) : namespace;
  return {
    verb: verbOf({ request, target, query }),
    group,
    resource,
    subresource,
    namespace: own,
    name: named,
  };
}

/** Returns the verb of a request, e.g. `watch` or `deletecollection`. */
export function verbOf({ request: { method }, target, query }: Exchange): string {
  if (target.type === "path") return method.toLowerCase();
  const pair = verbs[method];
  if (pair === undefined) return method.toLowerCase();
  if (method === "GET" && (target.isWatch || (target.name === undefined && flag(query, "watch")))) return "watch";
  return target.name === undefined ? pair.all : pair.one;
}

/** Returns the name in a field selector: a list of one named object is authorized by its name. */
function nameInSelector(query: URLSearchParams): string | undefined {
  return /^metadata\.name==?([^,!=]+)$/.exec(query.get("fieldSelector") ?? "")?.[1];
}
