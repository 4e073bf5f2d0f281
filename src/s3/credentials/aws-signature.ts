import { createHash } from "node:crypto";
import aws4 from "aws4";
import type { S3Credentials } from "./credentials.ts";

/** Request to an Amazon service, or to a server with a compatible API. */
interface UnsignedRequest {
  readonly service: "s3" | "sts";
  readonly region: string;
  readonly method: string;
  readonly url: URL;
  /** Headers to sign, except those that the signature itself needs. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** Ms since 1970. */
  readonly atMs: number;
}

/** Returns the headers of a request with its signature. Source: AWS Signature Version 4. */
export function signHeaders(request: UnsignedRequest, credentials: S3Credentials): Record<string, string> {
  const { service, region, method, url, headers, body, atMs } = request;
  const { headers: signed = {} } = aws4.sign(
    {
      ...{ service, region, method, host: url.host, path: `${url.pathname}${url.search}` },
      headers: {
        ...headers,
        host: url.host,
        "x-amz-date": printDate(atMs),
        "x-amz-content-sha256": createHash("sha256").update(body).digest("hex"),
      },
    },
    keysOf(credentials),
  );
  return Object.fromEntries(Object.entries(signed).map(([name, value]) => [name, String(value)]));
}

/** Returns a URL that allows any client to GET an S3 object for `seconds`. */
export function signUrl(
  { region, url, atMs, seconds }: Pick<UnsignedRequest, "region" | "url" | "atMs"> & { readonly seconds: number },
  credentials: S3Credentials,
): string {
  const query = new URLSearchParams({ "X-Amz-Expires": String(seconds), "X-Amz-Date": printDate(atMs) });
  const { path = "" } = aws4.sign(
    {
      ...{ service: "s3", region, method: "GET", host: url.host, signQuery: true },
      path: `${url.pathname}?${query}`,
    },
    keysOf(credentials),
  );
  return `${url.origin}${path}`;
}

function keysOf({ accessKeyId, secretAccessKey, sessionToken }: S3Credentials) {
  return { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) };
}

/** `20260102T030405Z` */
function printDate(ms: number): string {
  return new Date(ms).toISOString().replace(/[:-]|\.\d{3}/g, "");
}
