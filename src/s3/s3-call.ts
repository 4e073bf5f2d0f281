import { messageOf } from "../errors/message-of.ts";
import { isSubmitError } from "../errors/submit-error.ts";
import { backoff } from "../host/backoff.ts";
import type { Host } from "../host/host.ts";
import {
  type FindProxy,
  type HttpAnswer,
  type HttpConnections,
  httpConnections,
  readText,
} from "../host/http-exchange.ts";
import { isFinal } from "../staging-client/passing.ts";
import { signHeaders, signUrl } from "./aws-signature.ts";
import { anonymous, type S3Credentials } from "./credentials/credentials.ts";
import { isPassing, S3Error, s3Error } from "./s3-error.ts";

/** Where a bucket is, and who we are there. */
export interface BucketAddress {
  readonly bucket: string;
  /** @default that of Amazon for the region */
  readonly endpoint?: URL | undefined;
  /** @default found out, where the server tells it */
  readonly region?: string | undefined;
  /** Whether the bucket is part of the path, and not of the host's name. */
  readonly isPathStyle: boolean;
  readonly credentials: (() => Promise<S3Credentials>) | typeof anonymous;
  /** PEM of the authorities of the server. @default the system's */
  readonly authority?: string | undefined;
  /** @default none */
  readonly findProxy?: FindProxy | undefined;
  /** @default connections of its own, which `close` closes */
  readonly connections?: HttpConnections;
}

/** What is asked of S3. */
export interface S3Request {
  readonly method: "GET" | "HEAD" | "PUT" | "POST" | "DELETE";
  /** Empty: the bucket itself. */
  readonly key: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  readonly signal?: AbortSignal | undefined;
  /** Statuses of which the caller knows what they mean. */
  readonly expected?: readonly number[];
}

/** A bucket to which signed requests go. */
export interface S3Calls {
  /** @throws S3Error for a status that is neither 2xx nor expected; Node's error when nobody answers; what `signal` says */
  readonly send: (request: S3Request) => Promise<HttpAnswer>;
  /** A URL with which anybody can GET an object for so long. */
  readonly presign: (key: string, seconds: number) => Promise<string>;
  /** `https://host/bucket`, for messages. */
  readonly shown: string;
  readonly close: () => void;
}

const mostAttempts = 6;
const longestPauseMs = 8000;
const usualRegion = "us-east-1";

/** Opens a bucket; nothing is asked yet. */
export function s3Calls({ clock, random }: Pick<Host, "clock" | "random">, address: BucketAddress): S3Calls {
  const { authority, findProxy } = address;
  const connections = address.connections ?? httpConnections({ clock, authority, findProxy });
  let region = address.region ?? usualRegion;
  const urlOf = (key: string, query: S3Request["query"] = {}) => objectUrl(address, region, key, query);
  const sign = async (url: URL, { method, headers, body = new Uint8Array() }: S3Request) => {
    const hasLength = !["GET", "HEAD", "DELETE"].includes(method);
    const all = { ...headers, ...(hasLength ? { "content-length": String(body.length) } : {}) };
    if (address.credentials === anonymous) return all;
    const request = { service: "s3", region, method, url, headers: all, body, atMs: clock.now() } as const;
    return signHeaders(request, await address.credentials());
  };
  const attempt = async (request: S3Request): Promise<HttpAnswer> => {
    const url = urlOf(request.key, request.query);
    const { method, body, signal } = request;
    const answer = await connections.send({
      ...{ method, url, signal, headers: await sign(url, request) },
      ...(body === undefined ? {} : { body: inChunks(body) }),
    });
    const { status } = answer;
    if ((status >= 200 && status < 300) || request.expected?.includes(status) === true) return answer;
    const there = answer.headers["x-amz-bucket-region"];
    if (typeof there === "string" && there !== region && [301, 307, 400].includes(status)) {
      answer.close();
      region = there;
      return attempt(request);
    }
    const error = s3Error(
      status,
      await readText(answer, 256 * 1024),
      `${method} ${url.origin}${url.pathname}`,
    );
    throw error;
  };
  return {
    shown: urlOf("").href.replace(/\/$/, ""),
    async send(request) {
      const pause = backoff(clock, random, longestPauseMs);
      for (let count = 1; ; count += 1) {
        try {
          return await attempt(request);
        } catch (error) {
          request.signal?.throwIfAborted();
          if (isSubmitError(error)) throw error;
          const isOver = error instanceof S3Error ? !isPassing(error) : isFinal(error) || !hasCode(error);
          if (isOver || count === mostAttempts) throw told(error, urlOf("").origin);
          // Some servers send a body where there is none, in the way of the next answer: another connection has no such rest.
          if (!(isGarbled(error) && count === 1)) await pause.wait(request.signal);
          request.signal?.throwIfAborted();
        }
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

/** So that it shows when a slow connection takes them. */
function inChunks(body: Uint8Array): Uint8Array | AsyncIterable<Uint8Array> {
  return body.length <= chunkBytes ? body : chunksOf(body);
}

async function* chunksOf(body: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < body.length; at += chunkBytes) yield body.subarray(at, at + chunkBytes);
}

function hasCode(error: unknown): boolean {
  return error instanceof Error && "code" in error;
}

function isGarbled(error: unknown): boolean {
  return error instanceof Error && "code" in error && String(error.code).startsWith("HPE_");
}

/** Node's words do not say who it was that did not answer. */
function told(error: unknown, origin: string): unknown {
  if (error instanceof S3Error || !hasCode(error)) return error;
  return new Error(`${origin} does not answer: ${messageOf(error)}`, { cause: error });
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

/** As Amazon wants it: all but the unreserved characters. */
function encode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
