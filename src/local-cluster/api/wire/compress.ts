import type { ApiRequest, ApiResponse } from "../../../kube/transport.ts";

/** Minimum size of a compressed response. */
const minBytes = 128 * 1024;

/** Compresses a large response if the client accepts gzip. */
export function compressed<T extends ApiResponse>({ method, headers }: ApiRequest, response: T): T {
  const takesGzip = /(^|[\s,])gzip([\s,]|;\s*q=(?!0(\.0*)?\s*(,|$))|$)/.test(headers["accept-encoding"] ?? "");
  const length = Number(response.headers["content-length"] ?? 0);
  if (method !== "GET" || !takesGzip || length <= minBytes) return response;
  const { "content-length": _, ...rest } = response.headers;
  const body = ReadableStream.from(response.body).pipeThrough(new CompressionStream("gzip"));
  return { ...response, headers: { ...rest, "content-encoding": "gzip", vary: "Accept-Encoding" }, body };
}
