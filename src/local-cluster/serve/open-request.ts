import type { IncomingMessage } from "node:http";
import type { ServedRequest } from "../api/server.ts";
import { clientCertificate } from "./client-certificate.ts";

/** A request without its body. */
export type OpenRequest = Pick<ServedRequest, "method" | "path" | "headers" | "certificate">;

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"] as const;

/** Converts the head of a request; `undefined` for an unknown method. */
export function openRequest(request: IncomingMessage): OpenRequest | undefined {
  const { method, url, headers } = request;
  const known = methods.find((candidate) => candidate === method);
  if (known === undefined) return undefined;
  const flat = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, Array.isArray(value) ? value.join(", ") : value]],
  );
  const certificate = clientCertificate(request);
  return {
    ...{ method: known, path: url ?? "/", headers: Object.fromEntries(flat) },
    ...(certificate === undefined ? {} : { certificate }),
  };
}
