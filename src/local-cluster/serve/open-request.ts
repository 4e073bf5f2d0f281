import type { IncomingMessage } from "node:http";
import type { ApiRequest } from "../../kube/transport.ts";

/** A request without its body. */
export type OpenRequest = Pick<ApiRequest, "method" | "path" | "headers">;

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"] as const;

/** Converts the head of a request; `undefined` for an unknown method. */
export function openRequest({ method, url, headers }: IncomingMessage): OpenRequest | undefined {
  const known = methods.find((candidate) => candidate === method);
  if (known === undefined) return undefined;
  const flat = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, Array.isArray(value) ? value.join(", ") : value]],
  );
  return { method: known, path: url ?? "/", headers: Object.fromEntries(flat) };
}
