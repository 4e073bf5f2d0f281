/** The target of a request's path. */
export type Target =
  | {
      readonly type: "resource";
      readonly group: string;
      readonly version: string;
      readonly plural: string;
      readonly namespace: string | undefined;
      readonly name: string | undefined;
      readonly subresource: string | undefined;
      /** Whether it is the deprecated watch path `/api/v1/watch/…`. */
      readonly isWatch: boolean;
      /** Path after the proxy's path, still encoded, e.g. `/jobs/`; empty if there is none. */
      readonly rest?: string;
    }
  | { readonly type: "path"; readonly path: string };

/** Subresources of namespaces, which would otherwise parse as collections. */
const namespaceParts: readonly string[] = ["status", "finalize"];

/**
 * Parses a path of the Kubernetes API: `/api/v1/…`, `/apis/<group>/<version>/…`, or another path. `undefined` if its encoding is
 * invalid.
 */
export function parseTarget(path: string): Target | undefined {
  let decoded: string;
  try {
    decoded = decodeURIComponent(path);
  } catch {
    return undefined;
  }
  const [root, ...segments] = decoded.replace(/^\//, "").replace(/\/$/, "").split("/");
  const [group, version, ...rest] = root === "api" ? ["", ...segments] : root === "apis" ? segments : [];
  if (group === undefined || version === undefined || rest.length === 0) return { type: "path", path: decoded };
  const isWatch = rest[0] === "watch";
  const parts = isWatch ? rest.slice(1) : rest;
  const resource = { type: "resource", group, version, isWatch, ...restOf(path) } as const;
  if (parts[0] === "namespaces" && parts.length > 2 && !namespaceParts.includes(parts[2] ?? "")) {
    const [, namespace, plural = "", ...object] = parts;
    return { ...resource, namespace, plural, ...objectOf(object) };
  }
  const [plural = "", ...object] = parts;
  return { ...resource, namespace: undefined, plural, ...objectOf(object) };
}

function objectOf([name, ...parts]: readonly string[]): {
  name: string | undefined;
  subresource: string | undefined;
} {
  if (parts[0] === "proxy") return { name, subresource: "proxy" };
  return { name, subresource: parts.length === 0 ? undefined : parts.join("/") };
}

const proxies = /^\/api\/v1\/(?:namespaces\/[^/]+\/(?:pods|services)|nodes)\/[^/]+\/proxy(?<rest>\/.*)?$/s;

function restOf(path: string): { rest?: string } {
  const match = proxies.exec(path);
  return match === null ? {} : { rest: match.groups?.["rest"] ?? "" };
}
