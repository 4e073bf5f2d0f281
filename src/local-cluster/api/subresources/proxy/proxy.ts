import type { Duplex } from "node:stream";
import type { ApiRequest, ApiResponse } from "../../../../kube/transport.ts";
import type { Action, ApiScope } from "../../call.ts";
import { pathNotFound, serviceUnavailable } from "../../status.ts";
import { forwardRequest } from "./forward-request.ts";
import { proxiedHtml, proxiedLocation } from "./proxied-links.ts";
import { type ProxyTarget, proxyTarget } from "./proxy-target.ts";

/** Forwards a request to a port of a pod and returns its response with rewritten links: `pods/proxy` and `services/proxy`. */
export const proxyRequest: Action = async (api, call) => {
  if (call.proxied === undefined) throw pathNotFound();
  const { request, rest } = call.proxied;
  const [path = "", query] = request.path.split(/\?(.*)/s);
  const target = proxyTarget(api, call);
  if (rest === "" && (request.method === "GET" || request.method === "HEAD")) {
    const location = `${path}/${query === undefined ? "" : `?${query}`}`;
    return { type: "response", response: { status: 301, headers: { location }, body: emptyBody() } };
  }
  const connection = await connect(api, target);
  const prefix = path.slice(0, path.length - rest.length);
  const received = await forwardRequest(connection, {
    target,
    method: request.method,
    path: `${rest === "" ? "/" : rest}${query === undefined ? "" : `?${query}`}`,
    headers: { ...forwardedHeaders(request.headers), "x-forwarded-uri": path },
    body: call.raw.bytes,
    signal: call.signal,
  }).catch((error: Error) => {
    throw serviceUnavailable(`error trying to reach service: ${error.message}`);
  });
  const { location } = received.headers;
  const headers =
    location === undefined ? received.headers : { ...received.headers, location: proxiedLocation(location, prefix) };
  const response = { ...received, headers };
  return { type: "response", response: isHtml(response) ? await proxiedHtml(response, prefix) : response };
};

async function connect(api: ApiScope, { pod, port }: ProxyTarget): Promise<Duplex> {
  const sessions = api.sessions();
  const problem = "error trying to reach service: ";
  if (sessions === undefined) throw serviceUnavailable(`${problem}no node runs`);
  try {
    return await sessions.connect(pod, port);
  } catch (error) {
    throw serviceUnavailable(`${problem}${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Request headers that are not forwarded: those of the connection, credentials, and encodings that rewriting cannot read. */
const droppedHeaders = [
  ...["authorization", "connection", "keep-alive", "transfer-encoding", "upgrade", "te", "trailer"],
  ...["proxy-authorization", "accept-encoding", "content-length", "expect"],
];

function forwardedHeaders(headers: ApiRequest["headers"]): Record<string, string> {
  const kept = Object.entries(headers).filter(
    ([name]) => !droppedHeaders.includes(name) && !name.startsWith("impersonate-"),
  );
  return {
    ...Object.fromEntries(kept),
    "x-forwarded-host": headers["host"] ?? "",
    "x-forwarded-proto": "https",
  };
}

function isHtml({ headers }: Pick<ApiResponse, "headers">): boolean {
  return /^text\/html\b/i.test(headers["content-type"] ?? "") && headers["content-encoding"] === undefined;
}

async function* emptyBody(): AsyncGenerator<Uint8Array> {}
