import type { Host } from "../../host/host.ts";
import { httpConnections, readBytes } from "../../net/http-connections.ts";
import { proxyFor } from "../../net/proxy/proxy-for.ts";

/** The part of the Fetch API that the libraries use. */
export type IssuerFetch = (url: string, options: FetchOptions) => Promise<Response>;

interface FetchOptions {
  readonly method: string;
  readonly headers: Headers | Record<string, string>;
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}

/** Metadata, keys and tokens have some KiB. */
const maxResponseBytes = 1024 * 1024;

/**
 * Returns a function that sends requests to an issuer, through a proxy if the environment names one.
 *
 * @param authority certificates of the issuer's authorities as PEM; @default those of the system
 */
export function issuerFetch({ clock, env }: Pick<Host, "clock" | "env">, authority: string | undefined): IssuerFetch {
  const connections = httpConnections({ clock, authority, findProxy: (server) => proxyFor(server, env) });
  return async (url, { method, headers, body, signal }) => {
    const response = await connections.send({
      ...{ method, url: new URL(url), headers: Object.fromEntries(pairsOf(headers)), signal },
      ...(body !== undefined && body !== null && { body: Buffer.from(String(body)) }),
    });
    const bytes = await readBytes(response, maxResponseBytes);
    const { "content-type": type = "" } = response.headers;
    return new Response(bytes.length === 0 ? null : new Uint8Array(bytes), {
      ...{ status: response.status, headers: { "content-type": type } },
    });
  };
}

function pairsOf(headers: FetchOptions["headers"]): Iterable<readonly [string, string]> {
  return headers instanceof Headers ? headers : Object.entries(headers);
}
