import type { IncomingHttpHeaders } from "node:http";

const readingMethods: readonly string[] = ["GET", "HEAD", "OPTIONS"];

/**
 * Returns whether a page of another origin makes a browser send a request that changes something. Browsers send `Sec-Fetch-Site` on
 * secure connections and to the loopback address, and otherwise `Origin`. Other clients send neither.
 *
 * @param ownHosts host names and ports of the gateway besides that in `Host`, which a proxy can change
 */
export function isCrossOrigin(method: string, headers: IncomingHttpHeaders, ownHosts: readonly string[] = []): boolean {
  if (readingMethods.includes(method)) return false;
  const site = headers["sec-fetch-site"];
  if (site !== undefined) return site !== "same-origin" && site !== "none";
  if (headers.origin === undefined) return false;
  const origin = hostOf(headers.origin);
  return origin === undefined || ![headers.host?.toLowerCase(), ...ownHosts].includes(origin);
}

function hostOf(origin: string): string | undefined {
  return /^https?:\/\/([^/]+)$/i.exec(origin)?.[1]?.toLowerCase();
}
