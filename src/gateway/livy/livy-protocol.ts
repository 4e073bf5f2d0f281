import { percentDecoded } from "../../values/percent-decoding.ts";
import { restrictApplications } from "../access/restrict-applications.ts";
import type { GatewayRequest, GatewayResponse, HttpProtocol } from "../http/gateway-request.ts";
import { isBelow } from "../http/is-below.ts";
import { batchCreator, type CreateBatch } from "./create-batch.ts";
import { listBatches } from "./list-batches.ts";
import type { LivyCall, LivyRequest } from "./livy-call.ts";
import { impersonate, isAllowed } from "./permissions.ts";
import { empty, message, page } from "./responses.ts";
import { type BatchAction, serveBatch } from "./serve-batch.ts";
import { isServerPath, serveServerPath } from "./server-paths.ts";
import { serveSession, serveSessions, sessionMethods, sessionsPath } from "./sessions.ts";

const batchesPath = "/batches";
const safeMethods = new Set(["GET", "HEAD", "OPTIONS"]);

/** Serves the batches of Apache Livy, and the other paths that clients of batches call. */
export function livyProtocol(call: LivyCall): HttpProtocol {
  return {
    name: "livy",
    owns: (path) => isBelow(path, batchesPath) || isBelow(path, sessionsPath) || isServerPath(path),
    respond: responder(call),
    reject: ({ status, message: text, headers }) => message(status, text, headers),
  };
}

function responder(call: LivyCall): (request: GatewayRequest) => Promise<GatewayResponse> {
  const { settings } = call;
  const create = batchCreator(settings);
  return async (request) => {
    const { path, principal, method } = request;
    const { user } = principal;
    if (!isAllowed(user, settings)) return message(403, `User '${user ?? ""}' is not allowed to use this server.`);
    if (settings.isCsrfProtected && !safeMethods.has(method) && request.headers["x-requested-by"] === undefined)
      return page(400, "Error 400", "<h1>Error 400</h1><p>Missing Required Header for CSRF protection.</p>");
    if (isServerPath(path)) return serveServerPath(request);
    const version = unknownVersion(request.headers.accept);
    if (version !== undefined) return message(406, `No value found for '${version}'`);
    const doAs = settings.isImpersonating ? (request.query.get("doAs") ?? undefined) : undefined;
    const acting = doAs === undefined ? { ok: true as const, user } : impersonate(user, doAs, settings);
    if (!acting.ok) return message(403, acting.message);
    const served: LivyRequest = { ...request, method: method === "HEAD" ? "GET" : method, user: acting.user, doAs };
    const applications = restrictApplications(call.applications, request.permissions);
    return isBelow(path, batchesPath)
      ? respondToBatches({ ...call, applications }, served, create)
      : respondToSessions(served);
  };
}

async function respondToBatches(call: LivyCall, request: LivyRequest, create: CreateBatch): Promise<GatewayResponse> {
  const [idOrName = "", ...rest] = partsOf(request.path, batchesPath);
  if (idOrName === "" && rest.length === 0) {
    if (request.method === "GET") return listBatches(call, request);
    return request.method === "POST" ? create(call, request) : wrongMethod(["GET", "POST"]);
  }
  const [action] = rest;
  if (idOrName === "" || rest.length > 1 || !isAction(action)) return empty(404);
  const methods = action === undefined ? ["GET", "DELETE"] : ["GET"];
  if (!methods.includes(request.method)) return wrongMethod(methods);
  return withId(percentDecoded(idOrName), (name) => serveBatch(call, { request, idOrName: name, action }));
}

async function respondToSessions(request: LivyRequest): Promise<GatewayResponse> {
  const [idOrName = "", ...rest] = partsOf(request.path, sessionsPath);
  const methods = idOrName === "" && rest.length === 0 ? ["GET", "POST"] : sessionMethods(rest);
  if (methods === undefined || (idOrName === "" && rest.length > 0)) return empty(404);
  if (!methods.includes(request.method)) return wrongMethod(methods);
  if (idOrName === "") return serveSessions(request);
  return withId(percentDecoded(idOrName), async (name) => serveSession(name));
}

const maxId = 2 ** 31 - 1;

/** Calls `respond` unless the ID is a number that Livy cannot read. */
async function withId(
  idOrName: string,
  respond: (idOrName: string) => Promise<GatewayResponse>,
): Promise<GatewayResponse> {
  const isTooLarge = /^\d+$/.test(idOrName) && Number(idOrName) > maxId;
  return isTooLarge ? message(400, `For input string: "${idOrName}"`) : respond(idOrName);
}

function isAction(text: string | undefined): text is BatchAction {
  return text === undefined || text === "state" || text === "log";
}

/** Returns the segments after the path of a collection; none for the collection itself, with or without a slash. */
function partsOf(path: string, collection: string): readonly string[] {
  const rest = path.slice(collection.length + 1);
  return rest === "" ? [] : rest.split("/");
}

function wrongMethod(methods: readonly string[]): GatewayResponse {
  const allowed = methods.includes("GET") ? [...methods, "HEAD"] : methods;
  return empty(405, { allow: [...allowed].sort().join(", ") });
}

/** Version of the only API that exists. */
const apiVersion = "0.1";

/** Returns the version that a client requests, if it accepts neither 0.1 nor another media type. */
function unknownVersion(accept: string | undefined): string | undefined {
  const versions = (accept ?? "")
    .split(",")
    .map((range) => /^\s*application\/vnd\.livy\.v([^+;\s]*)\+json/.exec(range));
  const requested = versions.map((found) => found?.[1] ?? apiVersion);
  return requested.includes(apiVersion) ? undefined : requested[0];
}
