import type { IncomingHttpHeaders } from "node:http";
import type { PublicUrl } from "../http/public-url.ts";

/** Addresses of the Spark UIs and of the gateway for the client of a request, without a slash at their ends. */
export interface UiAddresses {
  readonly uis: (headers: IncomingHttpHeaders) => string;
  readonly gateway: (headers: IncomingHttpHeaders) => string;
}

interface AddressesCall {
  readonly publicUrl: PublicUrl;
  /** Whether the gateway has an external URL. */
  readonly isExternal: boolean;
  /** Origin of the UIs behind a proxy. @default the host of the request with the port of the UIs */
  readonly uiUrl: string | undefined;
  /** Ports of the servers, once they listen. */
  readonly ports: () => { readonly gateway: number; readonly ui: number };
}

/** Returns the addresses of the Spark UIs, which have an origin of their own. */
export function uiAddresses({ publicUrl, isExternal, uiUrl, ports }: AddressesCall): UiAddresses {
  const scheme = publicUrl.isSecure ? "https" : "http";
  const originAt = ({ host = "localhost" }: IncomingHttpHeaders, port: number) =>
    `${scheme}://${host.replace(/:\d*$/, "")}:${port}`;
  return {
    uis: (headers) => uiUrl?.replace(/\/+$/, "") ?? originAt(headers, ports().ui),
    gateway: (headers) =>
      `${isExternal ? publicUrl.originFor(headers) : originAt(headers, ports().gateway)}${publicUrl.root}`,
  };
}
