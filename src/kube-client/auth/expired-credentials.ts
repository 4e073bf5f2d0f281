import { X509Certificate } from "node:crypto";
import type { TlsSettings } from "../tls-settings.ts";
import type { Account } from "./account.ts";
import { tokenExpiry } from "./token-expiry.ts";

/** Explains, without a request, why the server may reject the credentials. */
export function expiredCredentials({ token }: Account, { certificate }: TlsSettings, now: number): readonly string[] {
  const tokenEnd = token === undefined ? undefined : tokenExpiry(token);
  const certificateEnd = certificate === undefined ? undefined : endOf(certificate);
  return [
    { what: "bearer token", end: tokenEnd },
    { what: "client certificate", end: certificateEnd },
  ].flatMap(({ what, end }) =>
    end === undefined || end > now ? [] : [`The ${what} expired at ${new Date(end).toISOString()}: renew it.`],
  );
}

function endOf(certificate: string): number | undefined {
  try {
    const end = Date.parse(new X509Certificate(certificate).validTo);
    return Number.isNaN(end) ? undefined : end;
  } catch {
    return undefined;
  }
}
