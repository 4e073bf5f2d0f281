import type { PolicyRule } from "kubernetes-types/rbac/v1.d.ts";

/** A request to the API, and the status of its response. */
interface SentRequest {
  readonly method: string;
  readonly path: string;
  readonly status: number;
}

/**
 * Returns the permissions that a request needs, e.g. `pods/log get` and `apps/statefulsets create`. Nothing for a path that is not a resource.
 *
 * Source: Kubernetes, "Determine the Request Verb"; an apply that creates an object also needs `create`, and so does a connection to a pod
 * since Kubernetes 1.35.
 */
export function requestedPermissions({ method, path: target, status }: SentRequest): readonly string[] {
  const [path = "", query = ""] = target.split("?");
  const parts =
    /^\/(?:api\/v1|apis\/([^/]+)\/[^/]+)\/(?:namespaces\/[^/]+\/)?([^/]+)(?:\/([^/]+))?(?:\/([^/]+).*)?$/.exec(path);
  if (parts === null) return [];
  const [, group = "", plural = "", name, subresource] = parts;
  const resource = [...(group === "" ? [] : [group]), plural, ...(subresource === undefined ? [] : [subresource])].join(
    "/",
  );
  const isWatch = /(?:^|&)watch=(?:true|1)(?:&|$)/.test(query);
  const verbs = verbsOf({ method, isWatch, isCollection: name === undefined });
  const creates = (method === "PATCH" && status === 201) || subresource === "portforward";
  return [...verbs, ...(creates ? ["create"] : [])].map((verb) => `${resource} ${verb}`);
}

interface RequestKind {
  readonly method: string;
  readonly isWatch: boolean;
  readonly isCollection: boolean;
}

function verbsOf({ method, isWatch, isCollection }: RequestKind): readonly string[] {
  switch (method) {
    case "GET":
      return [isWatch ? "watch" : isCollection ? "list" : "get"];
    case "POST":
      return ["create"];
    case "PUT":
      return ["update"];
    case "PATCH":
      return ["patch"];
    default:
      return [isCollection ? "deletecollection" : "delete"];
  }
}

/** Lists each permission of rules on its own, in the same form. */
export function grantedPermissions(rules: readonly PolicyRule[]): readonly string[] {
  return rules.flatMap(({ apiGroups = [], resources = [], verbs }) =>
    apiGroups.flatMap((group) =>
      resources.flatMap((resource) => verbs.map((verb) => `${group === "" ? "" : `${group}/`}${resource} ${verb}`)),
    ),
  );
}
