import { absolutePath } from "./absolute-path.ts";
import type { Host } from "./host.ts";

/**
 * Returns the directory for files that can be downloaded again: `FIRESTEEL_CACHE`, else `firesteel` in the user's cache.
 *
 * Source: XDG Base Directory Specification 0.8.
 */
export function cacheDirectory(host: Host): string {
  const own = host.env["FIRESTEEL_CACHE"];
  if (own !== undefined && own !== "") return absolutePath(host, own);
  const xdg = host.env["XDG_CACHE_HOME"];
  return `${xdg?.startsWith("/") === true ? xdg : `${host.user.home}/.cache`}/firesteel`;
}
