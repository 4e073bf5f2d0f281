import type { IncomingHttpHeaders } from "node:http";

const readingMethods: readonly string[] = ["GET", "HEAD", "OPTIONS"];

/**
 * Returns whether a page of another origin makes a browser send a request that changes something. Browsers send `Sec-Fetch-Site` on
 * secure connections and to the loopback address, and otherwise `Origin`. Other clients send neither.
 */
export function isCrossOrigin(method: string, headers: IncomingHttpHeaders): boolean {
  if (readingMethods.includes(method)) return false;
  const site = headers["sec-fetch-site"];
  if (site !== undefined) return site !== "same-origin" && site !== "none";
  return headers.origin !== undefined && hostOf(headers.origin) !== headers.host?.toLowerCase();
}

function hostOf(origin: string): string | undefined {
  return /^https?:\/\/([^/]+)$/i.exec(origin)?.[1]?.toLowerCase();
}
