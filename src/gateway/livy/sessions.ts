import type { GatewayRequest, GatewayResponse } from "../http/gateway-request.ts";
import { queryInteger } from "./query-integer.ts";
import { json, message, notFound } from "./responses.ts";

/** Path of interactive sessions. */
export const sessionsPath = "/sessions";

/** Methods of what belongs to an interactive session, in Livy 0.9.0. `*` is a number. */
const methods: Readonly<Record<string, readonly string[]>> = {
  "": ["GET", "DELETE"],
  state: ["GET"],
  log: ["GET"],
  statements: ["GET", "POST"],
  "statements/*": ["GET"],
  "statements/*/cancel": ["POST"],
  completion: ["POST"],
  interrupt: ["POST"],
  connect: ["POST"],
  "submit-job": ["POST"],
  "run-job": ["POST"],
  "upload-jar": ["POST"],
  "upload-pyfile": ["POST"],
  "upload-file": ["POST"],
  "add-jar": ["POST"],
  "add-pyfile": ["POST"],
  "add-file": ["POST"],
  "jobs/*": ["GET"],
  "jobs/*/cancel": ["POST"],
};

/** Returns the methods of the path below a session; `undefined` if Livy does not have it. */
export function sessionMethods(parts: readonly string[]): readonly string[] | undefined {
  const pattern = parts.map((part) => (/^\d+$/.test(part) ? "*" : part)).join("/");
  return Object.hasOwn(methods, pattern) && !parts.includes("") ? methods[pattern] : undefined;
}

/** Serves the list of sessions, which is empty, and rejects new ones. */
export function serveSessions({ method, query }: Pick<GatewayRequest, "method" | "query">): GatewayResponse {
  if (method !== "GET")
    return message(501, "This server runs batches only: POST /batches. It does not run interactive sessions.");
  const [from, size] = [queryInteger(query, "from"), queryInteger(query, "size")];
  if (!from.ok) return message(400, from.message);
  if (!size.ok) return message(400, size.message);
  return json(200, { from: from.value ?? 0, total: 0, sessions: [] });
}

/** Responds that a session does not exist. */
export function serveSession(idOrName: string): GatewayResponse {
  return notFound(idOrName);
}
