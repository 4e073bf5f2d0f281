import type { IncomingHttpHeaders } from "node:http";

/** Settings of a gateway that its address depends on. */
export interface AddressSettings {
  readonly externalUrl?: string | undefined;
  /** Prefix of all paths, without a slash at its end. */
  readonly prefix: string;
  /** @default the gateway serves without TLS */
  readonly tls?: object | undefined;
  readonly livy: { readonly uiBasePath: string };
}

/** Address under which clients reach the gateway. */
export interface PublicUrl {
  /** Path of all links, without a slash at its end. */
  readonly root: string;
  /** Path of headers `Location` of the APIs: `livy.ui.basePath` is for pages only. */
  readonly apiRoot: string;
  /** Whether clients use HTTPS, as far as the gateway knows. */
  readonly isSecure: boolean;
  /** Host names and ports in links besides that of the request, in lower case. */
  readonly hosts: readonly string[];
  /** Returns the origin for the client of a request, e.g. `https://gateway.example`. */
  readonly originFor: (headers: IncomingHttpHeaders) => string;
}

/**
 * Returns the address of a gateway: the external URL, otherwise what the request's `Host` names. `X-Forwarded-*` and `Forwarded` are
 * ignored, because any client can send them.
 */
export function publicUrl({ externalUrl, prefix, tls, livy }: AddressSettings): PublicUrl {
  const external = externalUrl === undefined ? undefined : new URL(externalUrl);
  const isSecure = external === undefined ? tls !== undefined : external.protocol === "https:";
  const externalRoot = external?.pathname.replace(/\/+$/, "");
  return {
    root: externalRoot ?? `${livy.uiBasePath}${prefix}`,
    apiRoot: externalRoot ?? prefix,
    isSecure,
    hosts: external === undefined ? [] : [external.host],
    originFor: ({ host = "localhost" }) => external?.origin ?? `${isSecure ? "https" : "http"}://${host}`,
  };
}
