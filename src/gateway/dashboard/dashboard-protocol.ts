import type { GatewayRequest, HttpProtocol } from "../http/gateway-request.ts";
import { isBelow } from "../http/is-below.ts";
import { rejectAsText, textResponse } from "../http/text-response.ts";
import { type DashboardFile, type DashboardFiles, pageName } from "./read-dashboard.ts";

const root = "/ui";

/**
 * Serves the dashboard: the page at `/ui`, its files below, and a redirect from `/`. Livy's web UI has the same path.
 *
 * @param prefix of all paths, without a slash at its end
 */
export function dashboardProtocol(files: DashboardFiles, prefix: string): HttpProtocol {
  return {
    name: "dashboard",
    owns: (path) => path === "/" || isBelow(path, root),
    async respond(request) {
      const { method, path } = request;
      if (method !== "GET" && method !== "HEAD") return textResponse(405, "", { allow: "GET, HEAD" });
      // The page refers to its files relative to this path.
      if (path === "/" || path === `${root}/`) return textResponse(302, "", { location: `${prefix}${root}` });
      const name = path === root ? pageName : path.slice(root.length + 1);
      const file = name === pageName && path !== root ? undefined : files.get(name);
      return file === undefined ? textResponse(404, "This path does not exist.") : serve(request, name, file);
    },
    reject: rejectAsText,
  };
}

function serve(
  { headers: { "accept-encoding": accepted = "", ...requested } }: GatewayRequest,
  name: string,
  file: DashboardFile,
) {
  const isCompressed = /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/.test(String(accepted));
  const etag = `"${file.tag}${isCompressed ? "-gzip" : ""}"`;
  const headers = {
    etag,
    vary: "accept-encoding",
    // A file with a digest in its name never changes.
    "cache-control": name === pageName ? "no-cache" : "public, max-age=31536000, immutable",
  };
  if (isNamed(requested["if-none-match"], etag)) return { status: 304, headers };
  return {
    status: 200,
    headers: { ...headers, "content-type": file.type, ...(isCompressed && { "content-encoding": "gzip" }) },
    body: isCompressed ? file.gzip : file.bytes,
  };
}

/** Returns whether a list of entity tags contains one, by the weak comparison (RFC 9110, section 13.1.2). */
function isNamed(list: string | undefined, etag: string): boolean {
  const tags = (list ?? "").split(",").map((tag) => tag.trim().replace(/^W\//, ""));
  return tags.includes(etag) || tags.includes("*");
}
