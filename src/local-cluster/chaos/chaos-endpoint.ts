import { createHash, timingSafeEqual } from "node:crypto";
import { isSubmitError } from "../../errors/submit-error.ts";
import type { ApiRequest, ApiResponse } from "../../kube/transport.ts";
import { type Api, withBody } from "../api/server.ts";
import type { Chaos } from "./chaos.ts";
import type { ChaosRule } from "./chaos-rule.ts";
import type { Incident } from "./incident.ts";
import { bodyOf } from "./injected-error.ts";

/** Path of the chaos endpoint: GET and DELETE of all, POST of `…/rules` and `…/incidents`, DELETE of `…/rules/ID`. */
export const chaosPath = "/firesteel/chaos";

/**
 * Serves fault injection over HTTP to holders of the administrator token, regardless of active rules. For any other client the
 * request goes to the API, which does not know the path.
 */
export function chaosEndpoint(api: Api, chaos: Chaos, adminToken: string): Api {
  return async (request) => {
    const path = request.path.split("?", 1)[0] ?? "";
    const isChaosPath = path === chaosPath || path.startsWith(`${chaosPath}/`);
    if (!isChaosPath || !isAdministrator(request, adminToken)) return api(request);
    return handle(chaos, await withBody(request), path.slice(chaosPath.length + 1).split("/"));
  };
}

function isAdministrator({ headers }: ApiRequest, adminToken: string): boolean {
  const [, token = ""] = /^Bearer +(\S+)$/i.exec(headers["authorization"] ?? "") ?? [];
  const isNotImpersonating = headers["impersonate-user"] === undefined;
  return isNotImpersonating && timingSafeEqual(digest(token), digest(adminToken));
}

function digest(text: string): Uint8Array {
  return createHash("sha256").update(text).digest();
}

function handle(chaos: Chaos, { method, body }: ApiRequest, [part = "", id = ""]: readonly string[]): ApiResponse {
  try {
    if (part === "" && method === "DELETE") chaos.clear();
    if (part === "" && (method === "DELETE" || method === "GET")) return respond(200, chaos.state());
    if (part === "incidents" && method === "POST") return respond(200, chaos.cause(parse(body)));
    if (part === "rules" && id === "" && method === "POST") return respond(201, chaos.add(parse(body)));
    if (part === "rules" && id !== "" && method === "DELETE") {
      if (chaos.remove(id)) return respond(200, { id });
      return respond(404, { message: `There is no rule ${id}.`, known: chaos.list().map((entry) => entry.id) });
    }
    return respond(405, { message: "GET and DELETE of all, POST of rules and incidents, DELETE of a rule" });
  } catch (error) {
    if (!isSubmitError(error)) throw error;
    return respond(422, { message: error.message, issues: error.issues });
  }
}

/** Parses a body; invalid JSON becomes an empty object, which the caller rejects. */
function parse<T extends ChaosRule | Incident>(body: ApiRequest["body"]): T {
  try {
    return JSON.parse(Buffer.from(body ?? "").toString("utf8"));
  } catch {
    return JSON.parse("{}");
  }
}

function respond(status: number, content: object): ApiResponse {
  const text = `${JSON.stringify(content)}\n`;
  const headers = { "content-type": "application/json", "content-length": String(Buffer.byteLength(text)) };
  return { status, headers, body: bodyOf(text) };
}
