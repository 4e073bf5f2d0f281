import type { ApiRequest, ApiResponse } from "../../kube/transport.ts";
import { authenticate, denial } from "./access/authenticate.ts";
import { authorize } from "./access/authorize.ts";
import type { User } from "./access/user.ts";
import { groups } from "./discovery/groups.ts";
import { answerPath, notFoundText } from "./discovery/paths.ts";
import type { Kind, Subresource, Verb } from "./kinds/kind.ts";
import { findKind } from "./kinds/table.ts";
import type { Session } from "./pod-sessions.ts";
import { badRequest, internalError, methodNotAllowed, pathNotFound, StatusError } from "./status.ts";
import { actionOf, subresourceAction } from "./verbs/actions.ts";
import type { Action, ApiScope, Call } from "./verbs/call.ts";
import { negotiate, type Representation } from "./wire/accept.ts";
import { rawBody } from "./wire/body.ts";
import { compressed } from "./wire/compress.ts";
import { type Exchange, openExchange, requestAttributes, verbOf } from "./wire/exchange.ts";
import { flag } from "./wire/query.ts";
import { respond, respondFailure } from "./wire/respond.ts";
import type { Target } from "./wire/target.ts";
import { viewer } from "./wire/views.ts";

export interface ApiOptions extends ApiScope {
  /** What one request can reach. @default what all can */
  readonly scopeFor?: () => ApiScope;
  /** `host:port`, as the API tells its clients. */
  readonly serverAddress: () => string;
  /** Told of failures that are ours: the client learns nothing of them. */
  readonly onFailure: (error: unknown) => void;
}

/** An answer, or what the connection that it is asked on is to be used for. */
export interface ServedResponse extends ApiResponse {
  readonly session?: Session;
}

/** A transport; whoever serves it to others can also hand over connections. */
export type Api = (request: ApiRequest) => Promise<ServedResponse>;

const json: Representation = { media: "json", view: "object", version: "v1" };

/**
 * The Kubernetes API of the embedded cluster, without a socket: who is it, what do they want, may they, do it, say it.
 *
 * A watch is a body without end; it ends with the request's signal.
 */
export function createApi(options: ApiOptions): Api {
  return async (request) => {
    const warnings: string[] = [];
    let representation = json;
    try {
      const exchange = openExchange(request);
      const user = authenticate(request.headers, options);
      const wish = requestAttributes(exchange);
      const verdict = authorize(options.store, user, wish);
      if (!verdict.isAllowed) throw denial(user, wish, verdict.reason);
      const isDiscovery = exchange.target.type === "path";
      const isProxied = exchange.target.type === "resource" && exchange.target.rest !== undefined;
      if (!isProxied) representation = negotiate(request.headers["accept"], { isDiscovery });
      const found = await answer({ ...exchange, user, representation, warnings }, options);
      return isProxied ? found : compressed(request, found);
    } catch (error) {
      if (!(error instanceof StatusError)) options.onFailure(error);
      const { status } = error instanceof StatusError ? error : internalError();
      return respondFailure(status, { representation: { ...representation, view: "object" }, warnings });
    }
  };
}

interface AdmittedExchange extends Exchange {
  readonly user: User;
  readonly representation: Representation;
  readonly warnings: string[];
}

async function answer(exchange: AdmittedExchange, options: ApiOptions): Promise<ServedResponse> {
  const { request, target, query, representation, warnings } = exchange;
  const isPretty = flag(query, "pretty");
  if (target.type === "path") {
    const found = answerPath({
      method: request.method,
      path: target.path,
      representation,
      serverAddress: options.serverAddress(),
    });
    return respond(found, { representation, viewer: undefined, warnings, isPretty });
  }
  const kind = findKind(target.group, target.version, target.plural);
  if (kind === undefined) {
    if (target.group !== "" && !groups.includes(target.group))
      return respond(notFoundText(), { representation, viewer: undefined, warnings, isPretty });
    throw pathNotFound();
  }
  const { call, action } = route(exchange, kind, target);
  if (kind.deprecation !== undefined) warnings.push(kind.deprecation);
  const found = await action(scopeOf(request.method, options), call);
  if (found.type === "session") return completeUpload(exchange, options, found.session);
  const show =
    call.subresource === undefined || call.subresource === "status"
      ? viewer({ ...call, now: options.clock.now })
      : undefined;
  return respond(found, { representation, viewer: show, warnings, isPretty });
}

/**
 * What is opened to get into a pod counts as created, whatever its request is called: a WebSocket's is a GET.
 *
 * Source: Kubernetes 1.35, AuthorizePodWebsocketUpgradeCreatePermission.
 */
function completeUpload(exchange: AdmittedExchange, { store }: ApiOptions, session: Session): ServedResponse {
  const { request, user } = exchange;
  if (request.headers["upgrade"] === undefined) throw badRequest("Upgrade request required");
  const wish = { ...requestAttributes(exchange), verb: "create" };
  const verdict = authorize(store, user, wish);
  if (!verdict.isAllowed) throw denial(user, wish, verdict.reason);
  return { status: 101, headers: {}, body: nothing(), session };
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

/** Deleting is never refused for want of space: it is the way to get some. */
function scopeOf(method: ApiRequest["method"], options: ApiOptions): ApiScope {
  return method === "DELETE" ? options : (options.scopeFor?.() ?? options);
}

/** What is to be done, and with what. @throws StatusError 404 or 405 when there is no such thing to do */
function route(
  exchange: AdmittedExchange,
  kind: Kind,
  target: Target & { type: "resource" },
): { call: Call; action: Action } {
  const { request, query, user, representation, warnings } = exchange;
  const { namespace, name, subresource } = target;
  const isPlaced = kind.namespaced ? namespace !== undefined : namespace === undefined;
  const part = kind.subresources.find((candidate) => candidate.name === subresource);
  if (subresource !== undefined && part === undefined) throw pathNotFound();
  // Only what lies behind a proxy can be asked for without its body.
  if (request.method === "HEAD" && target.rest === undefined) throw methodNotAllowed();
  if (!kind.namespaced && namespace !== undefined) throw pathNotFound();
  if (name !== undefined && !isPlaced) throw pathNotFound();
  const verb = verbOf(exchange);
  const action = chosenAction({ kind, part, verb, name, isPlaced });
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
  readonly isPlaced: boolean;
}

const onCollections: readonly string[] = ["create", "deletecollection", "list", "watch"];
/** Of a kind that lives in namespaces, only this can be done everywhere at once. */
const everywhere: readonly string[] = ["list", "watch"];

function chosenAction({ kind, part, verb, name, isPlaced }: Choice): Action {
  if (part !== undefined) {
    const action = part.verbs.some((known) => known === verb)
      ? subresourceAction(kind, part.name, verb)
      : undefined;
    if (action === undefined) throw methodNotAllowed();
    return action;
  }
  const known: Verb | undefined = kind.verbs.find((candidate) => candidate === verb);
  if (name !== undefined && !kind.verbs.includes("get")) throw pathNotFound();
  const fits = verb === "watch" || (name === undefined) === onCollections.includes(verb);
  if (known === undefined || !fits || (!isPlaced && !everywhere.includes(verb))) throw methodNotAllowed();
  return actionOf(kind, known);
}
