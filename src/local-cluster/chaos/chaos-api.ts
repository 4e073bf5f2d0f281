import { abortSignalOf } from "../../errors/stop-signal.ts";
import type { ApiRequest, ApiResponse } from "../../kube/transport.ts";
import { authenticate } from "../api/access/authenticate.ts";
import { anonymous, type User } from "../api/access/user.ts";
import type { ApiScope } from "../api/call.ts";
import { isObject } from "../api/json.ts";
import { type Api, type ReadRequest, type ServedRequest, type ServedResponse, withBody } from "../api/server.ts";
import { openExchange, requestAttributes } from "../api/wire/exchange.ts";
import { flag } from "../api/wire/query.ts";
import type { ChaosRule } from "./chaos-rule.ts";
import type { ChaosRules } from "./chaos-rules.ts";
import { errorResponse, malformedResponse, type RejectedRequest } from "./injected-error.ts";
import {
  connectionReset,
  type InterruptibleStream,
  interruptibleStream,
  untilAborted,
} from "./interruptible-stream.ts";
import { isOfStream, matchesRequest, type RequestFacts, type StreamRule } from "./matches-request.ts";

/** A request and the facts that rules match. */
interface Subject {
  readonly facts: RequestFacts;
  readonly request: () => RejectedRequest;
}

interface OpenStream extends InterruptibleStream {
  readonly facts: RequestFacts;
}

/** An API that injects the faults of its rules. */
interface ChaosApi {
  readonly api: Api;
  /** Applies a rule with `opened` to streams that are already open. */
  readonly interruptOpenStreams: (rule: ChaosRule) => void;
}

/** Wraps an API with rules; requests that no rule matches pass unchanged. */
export function chaosApi(api: Api, rules: ChaosRules, scope: ApiScope): ChaosApi {
  const streams = new Set<OpenStream>();

  /** Forwards a request; wraps streams so that they can be interrupted later. */
  async function pass(request: ServedRequest): Promise<ServedResponse> {
    const facts = mayStream(request) ? subjectOf(request, scope)?.facts : undefined;
    if (facts?.isStream !== true) return api(request);
    const end = new AbortController();
    const signal = request.signal && abortSignalOf(request.signal);
    const both = signal === undefined ? end.signal : AbortSignal.any([signal, end.signal]);
    const response = await api({ ...request, signal: both });
    const isStream = response.headers["content-length"] === undefined && response.session === undefined;
    if (!isStream) return response;
    const wrapped = interruptibleStream(response.body, {
      ...{ signal, stop: () => end.abort() },
      onEnd: () => streams.delete(stream),
    });
    const stream: OpenStream = { ...wrapped, facts };
    streams.add(stream);
    return { ...response, body: stream.body };
  }

  async function passFor(request: ServedRequest, rule: ChaosRule & StreamRule) {
    const response = await pass(request);
    const stream = [...streams].find(({ body }) => body === response.body);
    const cancel = scope.clock.after(rule.delayMs ?? 0, () => stream?.inject(rule.fault));
    request.signal?.addEventListener("abort", cancel, { once: true });
    return response;
  }

  return {
    async api(served) {
      // Rules can match the name in a body.
      const request = rules.isEmpty() ? served : await withBody(served);
      const subject = rules.isEmpty() ? undefined : subjectOf(request, scope);
      const rule = subject && rules.inject((candidate) => matchesRequest(candidate, subject.facts));
      if (subject === undefined || rule === undefined) return pass(request);
      if (isOfStream(rule)) return passFor(request, rule);
      if (rule.fault === "slow") {
        await scope.clock.sleep(rule.delayMs ?? 0, request.signal === undefined ? {} : { signal: request.signal });
        return pass(request);
      }
      if (rule.done === true) await finish(await api(request));
      return await inject(request, subject, rule);
    },
    interruptOpenStreams(rule) {
      const { fault, opened } = rule;
      if (opened !== true || (fault !== "drop" && fault !== "half-open")) return;
      for (const { facts, inject: cut } of streams)
        if (rules.inject((candidate) => candidate === rule && matchesRequest(rule, facts)) !== undefined) cut(fault);
    },
  };
}

function mayStream({ method, path }: ApiRequest): boolean {
  return method === "GET" && /[?&](watch|follow)\b|\/watch\//.test(path);
}

async function inject(request: ApiRequest, subject: Subject, rule: ChaosRule): Promise<ApiResponse> {
  switch (rule.fault) {
    case "drop":
      throw connectionReset();
    case "silence":
      return await untilAborted(request.signal && abortSignalOf(request.signal));
    case "nonsense":
      return malformedResponse();
    default:
      return errorResponse(rule, subject.request());
  }
}

/** Drains a response that is discarded; skips one without a length, which may never end. */
async function finish({ headers, body }: ApiResponse): Promise<void> {
  if (headers["content-length"] === undefined) return;
  for await (const _ of body);
}

function subjectOf(request: ReadRequest, scope: ApiScope): Subject | undefined {
  const exchange = exchangeOf(request);
  if (exchange === undefined) return undefined;
  const attributes = requestAttributes(exchange);
  const { target } = exchange;
  const isResource = "resource" in attributes;
  let known: User | undefined;
  const user = () => (known ??= userOf(request, scope));
  const facts: RequestFacts = {
    verb: attributes.verb,
    path: request.path.split("?", 1)[0] ?? "",
    resource: isResource
      ? { plural: attributes.resource, group: attributes.group, subresource: attributes.subresource }
      : undefined,
    namespace: isResource ? attributes.namespace : undefined,
    object: isResource ? (attributes.name ?? nameInBody(request)) : undefined,
    isStream:
      attributes.verb === "watch" || (isResource && attributes.subresource === "log" && flag(exchange.query, "follow")),
    userAgent: request.headers["user-agent"] ?? "",
    user: () => user().name,
  };
  const kind = target.type === "resource" ? scope.kinds.find(target.group, target.version, target.plural) : undefined;
  return { facts, request: () => ({ user: user(), attributes, kind, name: facts.object ?? "" }) };
}

function exchangeOf(request: ApiRequest) {
  try {
    return openExchange(request);
  } catch {
    // The API reports the invalid path.
    return undefined;
  }
}

/** Returns the authenticated user, or anonymous if authentication fails. */
function userOf(request: ReadRequest, scope: ApiScope): User {
  try {
    return authenticate(request, scope);
  } catch {
    return anonymous;
  }
}

/** Returns the name in the body of a create request. */
function nameInBody({ method, body }: ApiRequest): string | undefined {
  if (method !== "POST" || body === undefined) return undefined;
  try {
    const object: unknown = JSON.parse(Buffer.from(body).toString("utf8"));
    const metadata = isObject(object) && isObject(object["metadata"]) ? object["metadata"] : {};
    return typeof metadata["name"] === "string" ? metadata["name"] : undefined;
  } catch {
    return undefined;
  }
}
