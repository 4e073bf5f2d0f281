import type { StopSignal } from "../errors/stop-signal.ts";
import type { ApiRequest, ApiResponse, Transport } from "../kube/transport.ts";
import type { KubeResource } from "../kube/types.ts";
import { isFields } from "../values/fields.ts";

/** Replaces a response of the API, or throws as a socket does. `undefined` keeps the normal response. */
export type Fault = (
  request: ApiRequest,
  number: number,
) => TestResponse | undefined | Promise<TestResponse | undefined>;

/** Response in short form: objects are sent as JSON. */
export interface TestResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | object;
  /** Instead of a body. */
  readonly stream?: AsyncIterable<Uint8Array>;
}

/** An API in memory, as far as a submission needs one: objects by path, and recorded requests. */
export interface TestApi {
  readonly transport: Transport;
  /** `METHOD /path`, in order, without query. */
  readonly requestLines: readonly string[];
  readonly requests: readonly ApiRequest[];
  /** By path. */
  readonly objects: ReadonlyMap<string, KubeResource>;
  readonly put: (path: string, object: KubeResource) => void;
}

/** Creates an empty API. It calls `fault` first for each request; requests are numbered from 1. */
export function testApi(fault: Fault = () => undefined): TestApi {
  const objects = new Map<string, KubeResource>();
  const requests: ApiRequest[] = [];
  const store = (path: string, sent: KubeResource, version = requests.length): KubeResource => {
    const old = objects.get(path)?.metadata;
    const managedFields = [{ manager: "firesteel", operation: "Apply" }];
    const namespace = /\/namespaces\/([^/]+)/.exec(path)?.[1];
    const born = { uid: `uid-${version}`, creationTimestamp: "2026-01-01T00:00:00Z", managedFields };
    const defaults = { ...born, ...(namespace !== undefined && { namespace }) };
    const metadata = { ...defaults, ...old, ...sent.metadata, resourceVersion: String(version) };
    const object = { ...sent, metadata };
    objects.set(path, object);
    return object;
  };
  const serve = ({ method, path: target, headers, body }: ApiRequest): TestResponse => {
    const [path = ""] = target.split("?");
    const found = objects.get(path);
    const sent = typeof body === "string" ? parseJson<KubeResource>(body) : undefined;
    if (sent !== undefined && method === "POST") {
      const objectPath = `${path}/${sent.metadata.name}`;
      return objects.has(objectPath) ? refused(409, "already exists") : { status: 201, body: store(objectPath, sent) };
    }
    if (sent !== undefined && method === "PATCH") {
      const isMergePatch = headers["content-type"] === "application/merge-patch+json";
      if (isMergePatch && found === undefined) return refused(404, `${path} not found`);
      const object = isMergePatch && found !== undefined ? mergePatch(found, sent) : { ...found, ...sent };
      return { status: found === undefined ? 201 : 200, body: store(path, object) };
    }
    if (method === "DELETE" && found !== undefined) return remove(path, found, body);
    if (method === "GET" && isCollection(path)) return { status: 200, body: list(path) };
    return found === undefined ? refused(404, `${path} not found`) : { status: 200, body: found };
  };
  const remove = (path: string, { metadata }: KubeResource, body: ApiRequest["body"]): TestResponse => {
    const options = typeof body === "string" ? parseJson<{ preconditions?: KubeResource["metadata"] }>(body) : {};
    const { uid = metadata.uid, resourceVersion = metadata.resourceVersion } = options.preconditions ?? {};
    if (uid !== metadata.uid || resourceVersion !== metadata.resourceVersion) return refused(409, "has changed");
    objects.delete(path);
    return { status: 200, body: {} };
  };
  const list = (path: string) => ({
    metadata: { resourceVersion: String(requests.length) },
    items: [...objects].filter(([objectPath]) => objectPath.startsWith(`${path}/`)).map(([, object]) => object),
  });
  return {
    objects,
    requests,
    get requestLines() {
      return requests.map(({ method, path }) => `${method} ${path.split("?")[0]}`);
    },
    put: (path, object) => {
      store(path, object);
    },
    async transport(request) {
      requests.push(request);
      return toResponse((await fault(request, requests.length)) ?? serve(request));
    },
  };
}

/** Source: RFC 7396, without the removal of fields. */
function mergePatch<T extends object>(object: T, patch: object): T {
  const fields = new Map<string, unknown>(Object.entries(object));
  const merged = Object.entries(patch).map(([key, value]) => {
    const before = fields.get(key);
    return [key, isFields(before) && isFields(value) ? mergePatch(before, value) : value];
  });
  return { ...object, ...Object.fromEntries(merged) };
}

/** Builds a Status of a rejected request. */
export function refused(status: number, message: string): TestResponse {
  return { status, body: { kind: "Status", apiVersion: "v1", status: "Failure", code: status, message } };
}

/** A body of several chunks; an Error among them breaks the connection there. */
export async function* chunks(...parts: readonly (string | Error)[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) {
    if (part instanceof Error) throw part;
    yield Buffer.from(part);
  }
}

/** A body without bytes that fails when the signal aborts. */
export async function* neverEndingStream(signal: StopSignal | undefined): AsyncGenerator<Uint8Array> {
  await new Promise((_, reject) => {
    signal?.addEventListener("abort", () => reject(socketError("ABORT_ERR")), { once: true });
  });
  yield Buffer.from("");
}

/** An error as a socket gives it. */
export function socketError(code: string): Error {
  return Object.assign(new Error(`socket says ${code}`), { code });
}

function toResponse({ status, headers = {}, body = "", stream }: TestResponse): ApiResponse {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return { status, headers, body: stream ?? chunks(text) };
}

function isCollection(path: string): boolean {
  return /\/namespaces\/[^/]+\/[^/]+$/.test(path);
}

function parseJson<T>(text: string): T {
  return JSON.parse(text);
}
