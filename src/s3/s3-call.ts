import { isSubmitError } from "../errors/submit-error.ts";
import type { Host } from "../host/host.ts";
import { failureReason } from "../net/failure-reason.ts";
import {
  type FindProxy,
  type HttpConnections,
  type HttpResponse,
  httpConnections,
  readText,
} from "../net/http-connections.ts";
import { isPermanent } from "../net/permanent-error.ts";
import { retry } from "../net/retry.ts";
import { signHeaders, signUrl } from "./credentials/aws-signature.ts";
import { anonymous, type S3Credentials } from "./credentials/credentials.ts";
import { isTransient, S3Error, s3Error } from "./s3-error.ts";

/** Address of a bucket and the credentials for it. */
export interface BucketAddress {
  readonly bucket: string;
  /** @default Amazon's endpoint of the region */
  readonly endpoint?: URL | undefined;
  /** @default taken from the server's redirect */
  readonly region?: string | undefined;
  /** Whether the bucket is in the path rather than in the host name. */
  readonly isPathStyle: boolean;
  readonly credentials: (() => Promise<S3Credentials>) | typeof anonymous;
  /** CA certificates of the server in PEM. @default the system's */
  readonly authority?: string | undefined;
  /** @default none */
  readonly findProxy?: FindProxy | undefined;
  /** @default a pool of its own, which `close` closes */
  readonly connections?: HttpConnections;
}

/** Request to S3. */
interface S3Request {
  readonly method: "GET" | "HEAD" | "PUT" | "POST" | "DELETE";
  /** Empty: the bucket itself. */
  readonly key: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  readonly signal?: AbortSignal | undefined;
  /** @default 6 */
  readonly maxAttempts?: number;
  /** Additional statuses that the caller handles. */
  readonly expected?: readonly number[];
  /** Called before each further attempt: an earlier one may have succeeded, although its response was lost. */
  readonly onRetry?: () => void;
}

/** Signed requests to a bucket. */
export interface S3Calls {
  /** @throws S3Error for a status that is neither 2xx nor expected; Node's error when there is no response; the reason of `signal` */
  readonly send: (request: S3Request) => Promise<HttpResponse>;
  /** Returns a URL that allows any client to GET an object for `seconds`. */
  readonly presign: (key: string, seconds: number) => Promise<string>;
  /** `https://host/bucket`, for messages. */
  readonly shown: string;
  readonly close: () => void;
}

const defaultMaxAttempts = 6;
const maxDelayMs = 8000;
const defaultRegion = "us-east-1";

/** Creates the calls of a bucket. Sends no request yet. */
export function s3Calls({ clock, random }: Pick<Host, "clock" | "random">, address: BucketAddress): S3Calls {
  const { authority, findProxy } = address;
  const connections = address.connections ?? httpConnections({ clock, authority, findProxy });
  let region = address.region ?? defaultRegion;
  const urlOf = (key: string, query: S3Request["query"] = {}) => objectUrl(address, region, key, query);
  const sign = async (url: URL, signedRegion: string, { method, headers, body = new Uint8Array() }: S3Request) => {
    const hasLength = !["GET", "HEAD", "DELETE"].includes(method);
    const all = { ...headers, ...(hasLength ? { "content-length": String(body.length) } : {}) };
    if (address.credentials === anonymous) return all;
    const request = {
      service: "s3",
      region: signedRegion,
      method,
      url,
      headers: all,
      body,
      atMs: clock.now(),
    } as const;
    return signHeaders(request, await address.credentials());
  };
  const attempt = async (request: S3Request, canChangeRegion = true): Promise<HttpResponse> => {
    // Concurrent requests can change `region` before this one's response.
    const sentRegion = region;
    const url = urlOf(request.key, request.query);
    const { method, body, signal } = request;
    const response = await connections.send({
      ...{ method, url, signal, headers: await sign(url, sentRegion, request) },
      ...(body === undefined ? {} : { body: inChunks(body) }),
    });
    const { status } = response;
    if ((status >= 200 && status < 300) || request.expected?.includes(status) === true) return response;
    const bucketRegion = response.headers["x-amz-bucket-region"];
    const isElsewhere = typeof bucketRegion === "string" && bucketRegion !== sentRegion;
    if (canChangeRegion && isElsewhere && [301, 307, 400].includes(status)) {
      response.close();
      region = bucketRegion;
      return attempt(request, false);
    }
    throw s3Error(status, await readText(response, 256 * 1024), `${method} ${url.origin}${url.pathname}`);
  };
  return {
    shown: urlOf("").href.replace(/\/$/, ""),
    async send(request) {
      // Some servers send a body where none is allowed, which garbles the next response: retry at once on a new connection.
      let hasRetriedImmediately = false;
      const delayMs = (error: unknown) => {
        if (hasRetriedImmediately || !isGarbled(error)) return undefined;
        hasRetriedImmediately = true;
        return 0;
      };
      const { signal, onRetry, maxAttempts = defaultMaxAttempts } = request;
      const policy = { maxAttempts, maxDelayMs, isTransient: mayPass, delayMs, signal, onRetry };
      try {
        return await retry({ clock, random }, policy, () => attempt(request));
      } catch (error) {
        request.signal?.throwIfAborted();
        throw isSubmitError(error) ? error : withOrigin(error, urlOf("").origin);
      }
    },
    async presign(key, seconds) {
      const url = urlOf(key);
      if (address.credentials === anonymous) return url.href;
      return signUrl({ region, url, atMs: clock.now(), seconds }, await address.credentials());
    },
    close: () => {
      if (address.connections === undefined) connections.close();
    },
  };
}

const chunkBytes = 256 * 1024;

/** Splits a body into chunks, so that progress on a slow connection is visible. */
function inChunks(body: Uint8Array): Uint8Array | AsyncIterable<Uint8Array> {
  return body.length <= chunkBytes ? body : chunksOf(body);
}

async function* chunksOf(body: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < body.length; at += chunkBytes) yield body.subarray(at, at + chunkBytes);
}

function mayPass(error: unknown): boolean {
  if (error instanceof S3Error) return isTransient(error);
  return !isSubmitError(error) && hasCode(error) && !isPermanent(error);
}

function hasCode(error: unknown): boolean {
  return error instanceof Error && "code" in error;
}

function isGarbled(error: unknown): boolean {
  return error instanceof Error && "code" in error && String(error.code).startsWith("HPE_");
}

/** Adds the origin to Node's error, whose message does not name the server. */
function withOrigin(error: unknown, origin: string): unknown {
  if (error instanceof S3Error || !hasCode(error)) return error;
  const { reason, advice } = failureReason(error);
  const text =
    advice === undefined
      ? `${origin} does not respond: ${reason}`
      : `cannot use ${origin}: ${reason}. ${advice.replace(/\.$/, "")}`;
  return new Error(text, { cause: error });
}

function objectUrl(
  { bucket, endpoint, isPathStyle }: BucketAddress,
  region: string,
  key: string,
  query: Readonly<Record<string, string>>,
): URL {
  const url = new URL(
    endpoint ?? `https://s3.${region}.${region.startsWith("cn-") ? "amazonaws.com.cn" : "amazonaws.com"}`,
  );
  const base = url.pathname.replace(/\/$/, "");
  const path = key.split("/").map(encode).join("/");
  if (isPathStyle) url.pathname = `${base}/${bucket}${key === "" ? "" : `/${path}`}`;
  else {
    url.hostname = `${bucket}.${url.hostname}`;
    url.pathname = `${base}/${path}`;
  }
  url.search = Object.entries(query)
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .join("&");
  return url;
}

/** Percent-encodes all but the unreserved characters, as Amazon requires. */
function encode(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}
