import type { ApiRequest } from "../../kube/transport.ts";
import { authenticate, denial } from "./access/authenticate.ts";
import { authorize } from "./access/authorize.ts";
import type { ClientCertificate } from "./access/client-certificate.ts";
import type { User } from "./access/user.ts";
import { actionOf, subresourceAction } from "./actions.ts";
import type { Action, ApiScope, Call } from "./call.ts";
import { notFoundText, servePath } from "./discovery/paths.ts";
import type { Kind, Subresource, Verb } from "./kinds/kind.ts";
import type { Session } from "./pod-sessions.ts";
import { runInVersion } from "./run-in-version.ts";
import { tableGroups } from "./served-kinds.ts";
import {
  badRequest,
  internalError,
  methodNotAllowed,
  notFound,
  pathNotFound,
  StatusError,
  shapeNotAcceptable,
} from "./status.ts";
import { negotiate, type Representation } from "./wire/accept.ts";
import { rawBody } from "./wire/body.ts";
import { compressed } from "./wire/compress.ts";
import { type Exchange, openExchange, requestAttributes, verbOf } from "./wire/exchange.ts";
import { flag } from "./wire/query.ts";
import { type BodyResponse, respond, respondFailure } from "./wire/respond.ts";
import type { Target } from "./wire/target.ts";
import { viewer } from "./wire/views.ts";

interface ApiOptions extends ApiScope {
  /** Returns the stores that one request uses. @default `options` itself */
  readonly scopeFor?: () => ApiScope;
  /** `host:port` of the server, which discovery returns to clients. */
  readonly serverAddress: () => string;
  /** Receives internal errors; the client sees none of their details. */
  readonly onFailure: (error: unknown) => void;
}

/** A response, or the session that its connection is upgraded to. */
export interface ServedResponse extends BodyResponse {
  readonly session?: Session;
}

/** A request whose body may not have been read yet, so that a caller without permission does not use memory. */
export interface ServedRequest extends ApiRequest {
  /** Reads the body, once. @throws StatusError. @default `body` has it */
  readonly readBody?: () => Promise<Uint8Array>;
  /** Certificate of the client. @default it has sent none */
  readonly certificate?: ClientCertificate;
}

/** A request whose body has been read. */
export type ReadRequest = Omit<ServedRequest, "readBody">;

/** A transport whose connections can be upgraded to sessions. */
export type Api = (request: ServedRequest) => Promise<ServedResponse>;

/** Reads the body of a request, if it is not read yet. @throws StatusError */
export async function withBody({ readBody, ...request }: ServedRequest): Promise<ReadRequest> {
  return readBody === undefined ? request : { ...request, body: await readBody() };
}

const json: Representation = { media: "json", view: "object", version: "v1" };

/**
 * Creates the Kubernetes API of the embedded cluster, without a socket. It authenticates, authorizes and executes each request.
 *
 * The body of a watch does not end until the request is aborted.
 */
export function createApi(options: ApiOptions): Api {
  return async (request) => {
    const warnings: string[] = [];
    let representation = json;
    try {
      const exchange = openExchange(request);
      const user = authenticate(request, options);
      const attributes = requestAttributes(exchange);
      const decision = authorize(options.store, user, attributes);
      if (!decision.isAllowed) throw denial(user, attributes, decision.reason);
      const isDiscovery = exchange.target.type === "path";
      const isProxied = exchange.target.type === "resource" && exchange.target.rest !== undefined;
      const hasTable = isStored(exchange.target, options);
      if (!isProxied) representation = negotiate(request.headers["accept"], { isDiscovery, hasTable });
      const admitted = { ...exchange, request: await withBody(request) };
      const found = await execute({ ...admitted, user, representation, warnings }, options);
      return isProxied ? found : compressed(request, found);
    } catch (error) {
      if (!(error instanceof StatusError)) options.onFailure(error);
      const { status } = error instanceof StatusError ? error : internalError();
      return respondFailure(status, { representation: { ...representation, view: "object" }, warnings });
    }
  };
}

/** Whether a target's objects are stored, so that they can be shown as a table: reviews are not. */
function isStored(target: Target, { kinds }: ApiOptions): boolean {
  if (target.type === "path") return true;
  return kinds.find(target.group, target.version, target.plural)?.verbs.includes("get") !== false;
}

interface AdmittedExchange extends Exchange {
  readonly user: User;
  readonly representation: Representation;
  readonly warnings: string[];
}

async function execute(exchange: AdmittedExchange, options: ApiOptions): Promise<ServedResponse> {
  const { request, target, query, representation, warnings } = exchange;
  const isPretty = flag(query, "pretty");
  if (target.type === "path") {
    const found = servePath({
      method: request.method,
      path: target.path,
      representation,
      kinds: options.kinds,
      serverAddress: options.serverAddress(),
      tokens: options.tokens,
    });
    return respond(found, { representation, viewer: undefined, warnings, isPretty });
  }
  const kind = options.kinds.find(target.group, target.version, target.plural);
  if (kind === undefined) {
    if (target.group !== "" && !tableGroups.includes(target.group))
      return respond(notFoundText(), { representation, viewer: undefined, warnings, isPretty });
    throw pathNotFound();
  }
  const { call, action } = route(exchange, kind, target);
  if (kind.deprecation !== undefined) warnings.push(kind.deprecation);
  if (kind.custom !== undefined && representation.media === "protobuf" && request.method !== "DELETE") {
    throw shapeNotAcceptable(notProtobuf);
  }
  const found = await runInVersion(action, scopeOf(request.method, options), call);
  if (found.type === "session") return respondSession(exchange, options, found.session);
  const show =
    call.subresource === undefined || call.subresource === "status"
      ? viewer({ ...call, now: options.clock.now })
      : undefined;
  return respond(found, { representation, viewer: show, warnings, isPretty });
}

/**
 * Responds with a session. Authorizes it as `create` whatever its method is: a WebSocket's is GET.
 *
 * Source: Kubernetes 1.35, AuthorizePodWebsocketUpgradeCreatePermission.
 */
function respondSession(exchange: AdmittedExchange, { store }: ApiOptions, session: Session): ServedResponse {
  const { request, user } = exchange;
  if (request.headers["upgrade"] === undefined) throw badRequest("Upgrade request required");
  const attributes = { ...requestAttributes(exchange), verb: "create" };
  const decision = authorize(store, user, attributes);
  if (!decision.isAllowed) throw denial(user, attributes, decision.reason);
  return { status: 101, headers: {}, body: emptyBody(), session };
}

async function* emptyBody(): AsyncGenerator<Uint8Array> {}

/** Kubernetes' text about a custom resource in a format that needs a type. */
const notProtobuf =
  "object *unstructured.Unstructured does not implement the protobuf marshalling interface and cannot be encoded to a protobuf message";

/** Returns the stores of a request. DELETE is never rejected for lack of disk space, because it frees some. */
function scopeOf(method: ApiRequest["method"], options: ApiOptions): ApiScope {
  return method === "DELETE" ? options : (options.scopeFor?.() ?? options);
}

/** Finds the action of a request and builds its call. @throws StatusError 404 or 405 if there is none */
function route(
  exchange: AdmittedExchange,
  kind: Kind,
  target: Target & { type: "resource" },
): { call: Call; action: Action } {
  const { request, query, user, representation, warnings } = exchange;
  const { namespace, name, subresource } = target;
  const hasValidScope = kind.namespaced ? namespace !== undefined : namespace === undefined;
  const part = kind.subresources.find((candidate) => candidate.name === subresource);
  if (subresource !== undefined && part === undefined) {
    throw kind.custom === undefined ? pathNotFound() : notFound(kind, name ?? "");
  }
  // HEAD is supported only for proxied pods and services.
  if (request.method === "HEAD" && target.rest === undefined) throw methodNotAllowed();
  if (!kind.namespaced && namespace !== undefined) throw pathNotFound();
  if (name !== undefined && !hasValidScope) throw pathNotFound();
  const verb = verbOf(exchange);
  const action = chosenAction({ kind, part, verb, name, hasValidScope });
  const call: Call = {
    kind,
    namespace,
    name: name ?? "",
    subresource,
    query,
    ...(target.rest === undefined ? {} : { proxied: { request, rest: target.rest } }),
    raw: rawBody(request.body, request.headers["content-type"]),
    user,
    userAgent: request.headers["user-agent"] ?? "",
    representation,
    signal: request.signal,
    warnings,
  };
  return { call, action };
}

interface Choice {
  readonly kind: Kind;
  readonly part: Subresource | undefined;
  readonly verb: string;
  readonly name: string | undefined;
  readonly hasValidScope: boolean;
}

const onCollections: readonly string[] = ["create", "deletecollection", "list", "watch"];
/** Verbs that a namespaced kind supports across all namespaces. */
const acrossNamespaces: readonly string[] = ["list", "watch"];

function chosenAction({ kind, part, verb, name, hasValidScope }: Choice): Action {
  if (part !== undefined) {
    // Requests without a verb are passed on to pods and services.
    const known = verb === "" && part.name === "proxy" ? "get" : verb;
    const action = part.verbs.some((served) => served === known)
      ? subresourceAction(kind, part.name, known)
      : undefined;
    if (action === undefined) throw methodNotAllowed();
    return action;
  }
  const known: Verb | undefined = kind.verbs.find((candidate) => candidate === verb);
  if (name !== undefined && !kind.verbs.includes("get")) throw pathNotFound();
  const fits = verb === "watch" || (name === undefined) === onCollections.includes(verb);
  if (known === undefined || !fits || (!hasValidScope && !acrossNamespaces.includes(verb))) throw methodNotAllowed();
  return actionOf(kind, known);
}
