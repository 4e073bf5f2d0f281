import type { Clock } from "../../src/host/host.ts";
import type { ApiRequest, ApiResponse, Transport } from "../../src/kube/transport.ts";
import { applySelectors, jsonPatch, mergePatch } from "./api-rules.ts";
import {
  type ApiState,
  createApiState,
  isWithin,
  keyOf,
  parseObject,
  type RecordedRequest,
  type ResourcePath,
  remainingObjects,
  removeObject,
  type StoredObject,
  saveObject,
  startPod,
  type Watcher,
  withServerFields,
} from "./api-state.ts";
import type { ApiPlan, Rule } from "./recorded-case.ts";

/** Kubernetes API of a golden case, with the requests that it received. */
export interface RecordingApi {
  readonly transport: Transport;
  readonly requests: readonly RecordedRequest[];
  /** Returns the objects that remain after garbage collection. */
  readonly objects: () => readonly StoredObject[];
}

/**
 * Creates a Kubernetes API that accepts every object without validation, so that the requests of a client can be compared.
 * The plan of a case can reject requests and change the driver's pod over time.
 */
export function recordingApi(plan: ApiPlan, clock: Clock): RecordingApi {
  const state = createApiState(plan, clock);
  return {
    transport: (request) => respond(state, request),
    requests: state.requests,
    objects: () => remainingObjects([...state.store.values()]),
  };
}

const resource = /^\/(api\/v1|apis\/[^/]+\/[^/]+)(?:\/namespaces\/([^/]+))?\/([^/]+)(?:\/([^/]+))?(?:\/([^/]+))?$/;

async function respond(state: ApiState, request: ApiRequest): Promise<ApiResponse> {
  const { plan, clock, requests } = state;
  const url = new URL(request.path, "http://api");
  const path = decodeURIComponent(url.pathname);
  const isWatch = ["true", "1"].includes(url.searchParams.get("watch") ?? "");
  const method = isWatch ? "WATCH" : request.method;
  const text = request.body === undefined ? "" : Buffer.from(request.body).toString("utf8");
  requests.push({ method, path, authorization: request.headers["authorization"], text });

  const rule = takeRule(state, method, path);
  if (rule !== undefined) {
    if (rule.delayMs !== undefined) {
      await clock.sleep(rule.delayMs, request.signal === undefined ? {} : { signal: request.signal });
      if (request.signal?.aborted === true) throw new Error("aborted");
    }
    return failure(rule.status, rule.message ?? `scripted ${rule.status}`, rule);
  }
  const prefix = plan.pathPrefix ?? "";
  const local = path.startsWith(prefix) ? path.slice(prefix.length) : "";
  if (local === "/version") return jsonResponse(200, { major: "1", minor: "34", gitVersion: "v1.34.0" });
  const [, root, namespace, plural, name, subresource] = resource.exec(local) ?? [];
  if (root === undefined || plural === undefined)
    return failure(404, "the server could not find the requested resource");
  if (subresource === "log") return { status: 200, headers: {}, body: chunks([]) };
  const call = { request, url, target: { root, namespace, plural, name }, text };
  return isWatch ? openWatch(state, call) : serve(state, call);
}

/** Finds the first rule that matches and is not used up, and counts its use. */
function takeRule({ plan, ruleUses }: ApiState, method: string, path: string): Rule | undefined {
  const rule = (plan.rules ?? []).find(
    (candidate) =>
      (candidate.method === undefined || candidate.method === method) &&
      new RegExp(candidate.path ?? "").test(path) &&
      (ruleUses.get(candidate) ?? 0) < (candidate.times ?? Number.POSITIVE_INFINITY),
  );
  if (rule !== undefined) ruleUses.set(rule, (ruleUses.get(rule) ?? 0) + 1);
  return rule;
}

interface Call {
  readonly request: ApiRequest;
  readonly url: URL;
  readonly target: ResourcePath;
  /** Body of the request. */
  readonly text: string;
}

function openWatch(state: ApiState, { request, url, target }: Call): ApiResponse {
  const isSelected = applySelectors(url.searchParams);
  const queue: string[] = [];
  let wake = () => {};
  let hasEnded = false;
  const watcher: Watcher = {
    matches: (key, object) => isWithin(key, target) && isSelected(object),
    send(type, object) {
      queue.push(`${JSON.stringify({ type, object })}\n`);
      wake();
    },
    end() {
      hasEnded = true;
      state.watchers.delete(watcher);
      wake();
    },
  };
  async function* body() {
    for (;;) {
      for (const line of queue.splice(0)) yield Buffer.from(line);
      if (hasEnded) return;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  }
  state.watchers.add(watcher);
  request.signal?.addEventListener("abort", watcher.end, { once: true });
  const present = [...state.store].filter(([key, object]) => watcher.matches(key, object));
  const sendsPresent = ["", "0", null].includes(url.searchParams.get("resourceVersion"));
  if (sendsPresent) for (const [, object] of present) watcher.send("ADDED", structuredClone(object));
  if (present[0] !== undefined) startPod(state, present[0][0]);
  return { status: 200, headers: { "content-type": "application/json" }, body: body() };
}

function serve(state: ApiState, call: Call): ApiResponse {
  switch (call.request.method) {
    case "GET":
      return call.target.name === undefined ? listObjects(state, call) : getObject(state, call);
    case "POST":
      return createObject(state, call);
    case "PATCH":
      return patchObject(state, call);
    case "DELETE":
      return deleteObjects(state, call);
    default:
      return failure(405, "the server does not allow this method on the requested resource");
  }
}

function getObject({ store }: ApiState, { target }: Call): ApiResponse {
  const object = store.get(keyOf(target));
  return object === undefined ? notFound(target) : jsonResponse(200, object);
}

function listObjects({ store, revision }: ApiState, { url, target }: Call): ApiResponse {
  const isSelected = applySelectors(url.searchParams);
  const items = [...store]
    .filter(([key, object]) => isWithin(key, target) && isSelected(object))
    .map(([, object]) => object);
  const metadata = { resourceVersion: String(revision) };
  return jsonResponse(200, { kind: "List", apiVersion: "v1", metadata, items });
}

function createObject(state: ApiState, { target, text }: Call): ApiResponse {
  const { namespace, plural } = target;
  const object = parseObject(text);
  if ((object.metadata.namespace ?? namespace) !== namespace) {
    return failure(400, "the namespace of the provided object does not match the namespace sent on the request");
  }
  const key = keyOf({ ...target, name: object.metadata.name });
  if (state.store.has(key)) return failure(409, `${plural} "${object.metadata.name}" already exists`);
  if (plural === "pods") object["status"] = { phase: "Pending" };
  saveObject(state, key, withServerFields(state, object, namespace));
  if (plural === "pods" && state.plan.podFrom === "create") startPod(state, key);
  return jsonResponse(201, object);
}

function patchObject(state: ApiState, { request, target, text }: Call): ApiResponse {
  const key = keyOf(target);
  const existing = state.store.get(key);
  const type = request.headers["content-type"]?.split(";")[0];
  if (existing === undefined && type !== "application/apply-patch+yaml") return notFound(target);
  const base = structuredClone(existing) ?? {};
  const patched = type === "application/json-patch+json" ? jsonPatch(base, text) : mergePatch(base, JSON.parse(text));
  const object = withServerFields(state, parseObject(JSON.stringify(patched)), target.namespace);
  saveObject(state, key, object);
  return jsonResponse(existing === undefined ? 201 : 200, object);
}

function deleteObjects(state: ApiState, { url, target }: Call): ApiResponse {
  const key = keyOf(target);
  const existing = state.store.get(key);
  const isSelected = applySelectors(url.searchParams);
  const deleted = [...state.store]
    .filter(([item, object]) =>
      target.name === undefined ? isWithin(item, target) && isSelected(object) : item === key,
    )
    .map(([item]) => item);
  if (target.name !== undefined && deleted.length === 0) return notFound(target);
  for (const item of deleted) removeObject(state, item);
  return jsonResponse(200, existing ?? { kind: "Status", apiVersion: "v1", status: "Success" });
}

function notFound({ plural, name }: ResourcePath): ApiResponse {
  return failure(404, `${plural} "${name}" not found`);
}

const reasons: Readonly<Record<number, string>> = {
  400: "BadRequest",
  401: "Unauthorized",
  403: "Forbidden",
  404: "NotFound",
  405: "MethodNotAllowed",
  409: "AlreadyExists",
  413: "RequestEntityTooLarge",
  422: "Invalid",
  429: "TooManyRequests",
  500: "InternalError",
};

function failure(code: number, message: string, rule?: Rule): ApiResponse {
  const reason = rule?.reason ?? reasons[code] ?? "Unknown";
  const status = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message, reason, code };
  const headers = Object.entries(rule?.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]);
  return jsonResponse(code, status, Object.fromEntries(headers));
}

function jsonResponse(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): ApiResponse {
  return {
    status,
    headers: { "content-type": "application/json", ...headers },
    body: chunks([Buffer.from(JSON.stringify(body))]),
  };
}

async function* chunks(parts: readonly Uint8Array[]): AsyncIterable<Uint8Array> {
  yield* parts;
}
