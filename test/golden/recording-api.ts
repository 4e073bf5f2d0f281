import type { Clock } from "../../src/host/host.ts";
import type { ApiRequest, ApiResponse, Transport } from "../../src/kube/transport.ts";
import { applySelectors, jsonPatch, mergePatch } from "./api-rules.ts";
import { isRecord } from "./plain-data.ts";
import type { ApiPlan, Rule } from "./recorded-case.ts";

/** An object in the API's memory. */
export interface Kept {
  apiVersion: string;
  kind: string;
  metadata: Record<string, unknown> & { name?: string; namespace?: string; uid?: string };
  [field: string]: unknown;
}

export interface RecordedRequest {
  /** `WATCH` for a watch. */
  readonly method: string;
  readonly path: string;
  readonly authorization: string | undefined;
  readonly text: string;
}

export interface RecordingApi {
  readonly transport: Transport;
  readonly requests: readonly RecordedRequest[];
  /** What is left at the end, after garbage collection of everything whose owners are gone. */
  readonly objects: () => readonly Kept[];
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

const resource =
  /^\/(api\/v1|apis\/[^/]+\/[^/]+)(?:\/namespaces\/([^/]+))?\/([^/]+)(?:\/([^/]+))?(?:\/([^/]+))?$/;

interface Watcher {
  readonly concerns: (key: string, object: Kept) => boolean;
  readonly send: (type: string, object: unknown) => void;
  readonly end: () => void;
}

/**
 * A Kubernetes API that believes everything: it keeps what it is given as it was given, so that what a client sends can
 * be compared. A case's plan lets it refuse, or play the life of the driver's pod.
 */
export function recordingApi(plan: ApiPlan, clock: Clock): RecordingApi {
  const store = new Map<string, Kept>();
  const requests: RecordedRequest[] = [];
  const watchers = new Set<Watcher>();
  const used = new Map<Rule, number>();
  let revision = 0;
  let lifeBegan = false;

  const stamp = (object: Kept, namespace: string | undefined): Kept => {
    revision += 1;
    const { metadata } = object;
    if (namespace !== undefined) metadata.namespace ??= namespace;
    metadata.uid ??= `00000000-0000-4000-8000-${String(revision).padStart(12, "0")}`;
    metadata["creationTimestamp"] ??= "2026-01-01T00:00:00Z";
    metadata["resourceVersion"] = String(revision);
    return object;
  };
  const tell = (type: string, key: string, object: Kept) => {
    for (const watcher of watchers)
      if (watcher.concerns(key, object)) watcher.send(type, structuredClone(object));
  };
  const save = (key: string, object: Kept) => {
    const type = store.has(key) ? "MODIFIED" : "ADDED";
    store.set(key, object);
    tell(type, key, object);
  };
  const remove = (key: string) => {
    const object = store.get(key);
    store.delete(key);
    if (object !== undefined) tell("DELETED", key, object);
  };
  const initialState = (key: string) => {
    if (lifeBegan) return;
    lifeBegan = true;
    let at = 0;
    for (const step of plan.pod ?? []) {
      at += step.afterMs ?? 0;
      clock.after(at, () => {
        if (step.event !== undefined)
          for (const { send } of watchers) send(step.event.type, step.event.object);
        if (step.closeWatch === true) for (const { end } of [...watchers]) end();
        const pod = store.get(key);
        if (pod === undefined) return;
        if (step.status !== undefined) {
          const spec = isRecord(pod["spec"]) ? pod["spec"] : {};
          save(
            key,
            stamp(
              { ...structuredClone(pod), status: step.status, spec: { ...spec, ...step.spec } },
              undefined,
            ),
          );
        }
        if (step.delete === true) remove(key);
      });
    }
  };

  for (const object of plan.objects ?? []) {
    const root = object.apiVersion === "v1" ? "api/v1" : `apis/${object.apiVersion}`;
    const kept = parseObject(JSON.stringify(object));
    const key = keyOf({
      root,
      namespace: kept.metadata.namespace,
      plural: `${kept.kind.toLowerCase()}s`,
      name: kept.metadata.name,
    });
    store.set(key, stamp(kept, undefined));
  }

  const transport: Transport = async (request) => {
    const url = new URL(request.path, "http://api");
    const path = decodeURIComponent(url.pathname);
    const watch = ["true", "1"].includes(url.searchParams.get("watch") ?? "");
    const method = watch ? "WATCH" : request.method;
    const text = request.body === undefined ? "" : Buffer.from(request.body).toString("utf8");
    requests.push({ method, path, authorization: request.headers["authorization"], text });

    const rule = (plan.rules ?? []).find(
      (candidate) =>
        (candidate.method === undefined || candidate.method === method) &&
        new RegExp(candidate.path ?? "").test(path) &&
        (used.get(candidate) ?? 0) < (candidate.times ?? Number.POSITIVE_INFINITY),
    );
    if (rule !== undefined) {
      used.set(rule, (used.get(rule) ?? 0) + 1);
      if (rule.delayMs !== undefined) {
        await clock.sleep(rule.delayMs, request.signal === undefined ? {} : { signal: request.signal });
        if (request.signal?.aborted === true) throw new Error("aborted");
      }
      return failure(rule.status, rule.message ?? `scripted ${rule.status}`, rule);
    }
    const unknown = () => failure(404, "the server could not find the requested resource");
    if (!path.startsWith(plan.pathPrefix ?? "")) return unknown();
    const local = path.slice((plan.pathPrefix ?? "").length);
    if (local === "/version") return answer(200, { major: "1", minor: "34", gitVersion: "v1.34.0" });
    const [, root, namespace, plural, name, part] = resource.exec(local) ?? [];
    if (root === undefined || plural === undefined) return unknown();
    if (part === "log") return { status: 200, headers: {}, body: chunks([]) };
    const place = { root, namespace, plural, name };
    return watch ? openWatch(request, url, place) : serve({ request, url, place, text });
  };

  function openWatch(request: ApiRequest, url: URL, place: Place): ApiResponse {
    const matches = applySelectors(url.searchParams);
    const queue: string[] = [];
    let wake = () => {};
    let ended = false;
    const watcher: Watcher = {
      concerns: (key, object) => isWithin(key, place) && matches(object),
      send(type, object) {
        queue.push(`${JSON.stringify({ type, object })}\n`);
        wake();
      },
      end() {
        ended = true;
        watchers.delete(watcher);
        wake();
      },
    };
    watchers.add(watcher);
    request.signal?.addEventListener("abort", watcher.end, { once: true });
    const present = [...store].filter(([key, object]) => watcher.concerns(key, object));
    const all = ["", "0", null].includes(url.searchParams.get("resourceVersion"));
    if (all) for (const [, object] of present) watcher.send("ADDED", structuredClone(object));
    if (present[0] !== undefined) initialState(present[0][0]);
    async function* body() {
      for (;;) {
        for (const line of queue.splice(0)) yield Buffer.from(line);
        if (ended) return;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
    return { status: 200, headers: { "content-type": "application/json" }, body: body() };
  }

  function serve(call: { request: ApiRequest; url: URL; place: Place; text: string }): ApiResponse {
    const { request, url, place, text } = call;
    const { namespace, plural, name } = place;
    const key = keyOf(place);
    const existing = store.get(key);
    const missing = () => failure(404, `${plural} "${name}" not found`);
    const matches = applySelectors(url.searchParams);
    switch (request.method) {
      case "GET": {
        if (name !== undefined) return existing === undefined ? missing() : answer(200, existing);
        const items = [...store]
          .filter(([item, object]) => isWithin(item, place) && matches(object))
          .map(([, object]) => object);
        return answer(200, {
          kind: "List",
          apiVersion: "v1",
          metadata: { resourceVersion: String(revision) },
          items,
        });
      }
      case "POST": {
        const object = parseObject(text);
        if ((object.metadata.namespace ?? namespace) !== namespace) {
          return failure(
            400,
            "the namespace of the provided object does not match the namespace sent on the request",
          );
        }
        const created = keyOf({ ...place, name: object.metadata.name });
        if (store.has(created)) return failure(409, `${plural} "${object.metadata.name}" already exists`);
        if (plural === "pods") object["status"] = { phase: "Pending" };
        save(created, stamp(object, namespace));
        if (plural === "pods" && plan.podFrom === "create") initialState(created);
        return answer(201, object);
      }
      case "PATCH": {
        const type = request.headers["content-type"]?.split(";")[0];
        const apply = type === "application/apply-patch+yaml";
        if (existing === undefined && !apply) return missing();
        const base = structuredClone(existing) ?? {};
        const patched =
          type === "application/json-patch+json" ? jsonPatch(base, text) : mergePatch(base, JSON.parse(text));
        const object = stamp(parseObject(JSON.stringify(patched)), namespace);
        save(key, object);
        return answer(existing === undefined ? 201 : 200, object);
      }
      case "DELETE": {
        const gone = [...store.keys()].filter((item) => {
          const object = store.get(item);
          return name === undefined
            ? object !== undefined && isWithin(item, place) && matches(object)
            : item === key;
        });
        if (name !== undefined && gone.length === 0) return missing();
        for (const item of gone) remove(item);
        return answer(200, existing ?? { kind: "Status", apiVersion: "v1", status: "Success" });
      }
      default:
        return failure(405, "the server does not allow this method on the requested resource");
    }
  }

  return { transport, requests, objects: () => withoutOrphans([...store.values()]) };
}

interface Place {
  readonly root: string;
  readonly namespace: string | undefined;
  readonly plural: string;
  readonly name: string | undefined;
}

function keyOf({ root, namespace, plural, name }: Place): string {
  return [root, namespace ?? "", plural, name ?? ""].join("|");
}

function isWithin(key: string, { root, namespace, plural, name }: Place): boolean {
  const [itemRoot, itemNamespace, itemPlural, itemName] = key.split("|");
  return (
    itemRoot === root &&
    itemPlural === plural &&
    (namespace === undefined || namespace === itemNamespace) &&
    (name === undefined || name === itemName)
  );
}

function withoutOrphans(objects: readonly Kept[]): readonly Kept[] {
  const uids = new Set(objects.map(({ metadata }) => metadata.uid));
  const live = objects.filter(({ metadata }) => {
    const owners = Array.isArray(metadata["ownerReferences"]) ? metadata["ownerReferences"] : [];
    return owners.length === 0 || owners.some((owner) => isRecord(owner) && uids.has(String(owner["uid"])));
  });
  return live.length === objects.length ? live : withoutOrphans(live);
}

function parseObject(text: string): Kept {
  return JSON.parse(text);
}

function failure(code: number, message: string, rule?: Rule): ApiResponse {
  const reason = rule?.reason ?? reasons[code] ?? "Unknown";
  const status = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message, reason, code };
  const headers = Object.entries(rule?.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]);
  return answer(code, status, Object.fromEntries(headers));
}

function answer(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): ApiResponse {
  return {
    status,
    headers: { "content-type": "application/json", ...headers },
    body: chunks([Buffer.from(JSON.stringify(body))]),
  };
}

async function* chunks(parts: readonly Uint8Array[]): AsyncIterable<Uint8Array> {
  yield* parts;
}
