import { withoutSlashesAtEnd } from "../../host/address.ts";
import type { ApiRequest } from "../../kube/transport.ts";
import { proxyAuthorization } from "../../net/proxy/proxy-url.ts";
import type { ConnectionOptions } from "../connection-options.ts";
import { isHeaderText } from "./header-text.ts";

/**
 * Prints the head of a request with the empty line. Each character is one byte.
 *
 * Source: RFC 9112, 3 and 3.2.2 (request target of a proxy).
 *
 * @throws Error if a header would not stay in its line
 */
export function printRequestHead({ server, proxy }: ConnectionOptions, call: ApiRequest): string {
  const { method, body } = call;
  const path = `${withoutSlashesAtEnd(server.pathname)}${call.path}`;
  // A proxy for plain HTTP receives the full URL. A proxy that forwards bytes never sees the request.
  const httpProxy = server.protocol === "http:" && proxy?.protocol === "http:" ? proxy : undefined;
  const headers = {
    host: server.host,
    ...call.headers,
    ...(httpProxy === undefined ? {} : proxyAuthorization(httpProxy)),
    ...(body === undefined ? {} : { "content-length": Buffer.byteLength(body) }),
  };
  const { repeatedHeaders = {} } = call;
  const lines = [
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...Object.entries(repeatedHeaders).flatMap(([name, values]) => values.map((value) => `${name}: ${value}`)),
  ];
  const target = httpProxy === undefined ? path : `${server.origin}${path}`;
  if (
    target.includes(" ") ||
    target.includes("\t") ||
    Buffer.byteLength(target) > target.length ||
    !isHeaderText([target, ...lines])
  )
    throw new Error(`a request to ${server.host} has characters that HTTP does not allow`);
  return `${method} ${target} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`;
}
