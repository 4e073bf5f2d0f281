import { abortSignalOf } from "../../errors/stop-signal.ts";
import type { ApiRequest, ApiResponse } from "../../kube/transport.ts";
import { authenticate } from "../api/access/authenticate.ts";
import { anonymous, type User } from "../api/access/user.ts";
import { isObject } from "../api/json.ts";
import { findKind } from "../api/kinds/table.ts";
import type { Api, ServedResponse } from "../api/server.ts";
import type { ApiScope } from "../api/verbs/call.ts";
import { openExchange, requestAttributes } from "../api/wire/exchange.ts";
import { flag } from "../api/wire/query.ts";
import type { ChaosRule } from "./chaos-rule.ts";
import type { ChaosRules } from "./chaos-rules.ts";
import { nonsense, type Refused, refusal } from "./injected-error.ts";
import {
  connectionReset,
  interruptibleStream,
  type StruckStream,
  untilAborted,
} from "./interruptible-stream.ts";
import { isOfStream, matchesRequest, type RequestFacts, type StreamRule } from "./matches-request.ts";

/** A request that rules can be asked about. */
interface Subject {
  readonly facts: RequestFacts;
  readonly refused: () => Refused;
}

interface OpenStream extends StruckStream {
  readonly facts: RequestFacts;
}

/** An API that goes wrong as its rules say. */
export interface ChaosApi {
  readonly api: Api;
  /** A rule that is about streams which are open already is carried out on them. */
  readonly interruptOpenStreams: (rule: ChaosRule) => void;
}

/** Puts the rules before an API: what they do not strike passes unchanged. */
export function chaosApi(api: Api, book: ChaosRules, scope: ApiScope): ChaosApi {
  const streams = new Set<OpenStream>();

  /** Streams go through our hands, for they may be struck later. */
  async function pass(request: ApiRequest): Promise<ServedResponse> {
    const facts = mayStream(request) ? subjectOf(request, scope)?.facts : undefined;
    if (facts?.isStream !== true) return api(request);
    const end = new AbortController();
    const signal = request.signal && abortSignalOf(request.signal);
    const both = signal === undefined ? end.signal : AbortSignal.any([signal, end.signal]);
    const answer = await api({ ...request, signal: both });
    const isStream = answer.headers["content-length"] === undefined && answer.session === undefined;
    if (!isStream) return answer;
    const struck = interruptibleStream(answer.body, {
      ...{ signal, stop: () => end.abort() },
      onEnd: () => streams.delete(stream),
    });
    const stream: OpenStream = { ...struck, facts };
    streams.add(stream);
    return { ...answer, body: stream.body };
  }

  async function passFor(request: ApiRequest, rule: ChaosRule & StreamRule) {
    const answer = await pass(request);
    const stream = [...streams].find(({ body }) => body === answer.body);
    const cancel = scope.clock.after(rule.delayMs ?? 0, () => stream?.inject(rule.fault));
    request.signal?.addEventListener("abort", cancel, { once: true });
    return answer;
  }

  return {
    async api(request) {
      const subject = book.isEmpty() ? undefined : subjectOf(request, scope);
      const rule = subject && book.inject((candidate) => matchesRequest(candidate, subject.facts));
      if (subject === undefined || rule === undefined) return pass(request);
      if (isOfStream(rule)) return passFor(request, rule);
      if (rule.fault === "slow") {
        await scope.clock.sleep(
          rule.delayMs ?? 0,
          request.signal === undefined ? {} : { signal: request.signal },
        );
        return pass(request);
      }
      if (rule.done === true) await finish(await api(request));
      return await inject(request, subject, rule);
    },
    interruptOpenStreams(rule) {
      const { fault, opened } = rule;
      if (opened !== true || (fault !== "drop" && fault !== "half-open")) return;
      for (const { facts, inject: cut } of streams)
        if (book.inject((candidate) => candidate === rule && matchesRequest(rule, facts)) !== undefined)
          cut(fault);
    },
  };
}

function mayStream({ method, path }: ApiRequest): boolean {
  return method === "GET" && /[?&](watch|follow)\b|\/watch\//.test(path);
}

async function inject(request: ApiRequest, { refused }: Subject, rule: ChaosRule): Promise<ApiResponse> {
  switch (rule.fault) {
    case "drop":
      throw connectionReset();
    case "silence":
      return await untilAborted(request.signal && abortSignalOf(request.signal));
    case "nonsense":
      return nonsense();
    default:
      return refusal(rule, refused());
  }
}

/** Drains a response that is discarded; skips one without a length, which may never end. */
async function finish({ headers, body }: ApiResponse): Promise<void> {
  if (headers["content-length"] === undefined) return;
  for await (const _ of body);
}

function subjectOf(request: ApiRequest, scope: ApiScope): Subject | undefined {
  const exchange = exchangeOf(request);
  if (exchange === undefined) return undefined;
  const wish = requestAttributes(exchange);
  const { target } = exchange;
  const isResource = "resource" in wish;
  let known: User | undefined;
  const user = () => {
    known ??= userOf(request, scope);
    return known;
  };
  const facts: RequestFacts = {
    verb: wish.verb,
    path: request.path.split("?", 1)[0] ?? "",
    resource: isResource
      ? { plural: wish.resource, group: wish.group, subresource: wish.subresource }
      : undefined,
    namespace: isResource ? wish.namespace : undefined,
    object: isResource ? (wish.name ?? nameInBody(request)) : undefined,
    isStream:
      wish.verb === "watch" || (isResource && wish.subresource === "log" && flag(exchange.query, "follow")),
    userAgent: request.headers["user-agent"] ?? "",
    user: () => user().name,
  };
  const kind = target.type === "resource" ? findKind(target.group, target.version, target.plural) : undefined;
  return { facts, refused: () => ({ user: user(), wish, kind, name: facts.object ?? "" }) };
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
function userOf({ headers }: ApiRequest, scope: ApiScope): User {
  try {
    return authenticate(headers, scope);
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
