import { type TestHost, testHost } from "../host/test-host.ts";
import type { ApiRequest, ApiResponse } from "../kube/transport.ts";
import { createTokens } from "./api/access/tokens.ts";
import type { ApiScope } from "./api/call.ts";
import { serviceAddresses } from "./api/kinds/addresses.ts";
import { createMemoryStore } from "./api/memory-store.ts";
import { serveKinds } from "./api/served-kinds.ts";
import { type Api, createApi } from "./api/server.ts";
import type { StoredObject } from "./api/store.ts";
import type { WebhookClient } from "./api/webhook-client.ts";
import { createAuthority, newPrivateKey } from "./certificates/certificate.ts";
import { createInitialObjects } from "./controllers/bootstrap.ts";
import { startControllers } from "./controllers/start-controllers.ts";
import { eventRecorder } from "./events/event-recorder.ts";
import { serviceRanges } from "./service-ranges.ts";

/** An in-memory API for tests with a fake clock. */
export interface TestApi {
  readonly host: TestHost;
  readonly scope: ApiScope;
  readonly api: Api;
  /** Sends a request, by default as the administrator. */
  readonly call: (
    method: ApiRequest["method"],
    path: string,
    options?: { readonly body?: unknown; readonly headers?: ApiRequest["headers"]; readonly token?: string },
  ) => Promise<TestResponse>;
  /** Stores an object without admission and validation. */
  readonly put: (collection: string, object: unknown) => StoredObject;
}

export interface TestResponse extends ApiResponse {
  /** Reads the entire body. */
  readonly text: () => Promise<string>;
}

interface TestApiOptions {
  /** @default every call fails */
  readonly webhooks?: Pick<WebhookClient, "send">;
}

const noWebhooks: Pick<WebhookClient, "send"> = {
  send: () => Promise.reject(new Error("failed to call webhook: the test has none")),
};

/** Token of the administrator. */
export const adminToken = "of-the-administrator";
/** The authority of all test clusters. */
export const testAuthority = createAuthority(testHost(), "firesteel");
const apiAddress = { address: "127.90.0.1", port: 6443 };

/** Creates an API with the initial objects of a cluster and running controllers. */
export function testApi(host = testHost(), { webhooks = noWebhooks }: TestApiOptions = {}): TestApi {
  const store = createMemoryStore(host);
  const scope: ApiScope = {
    ...host,
    store,
    kinds: serveKinds(store),
    tokens: createTokens({ ...host, store, adminToken, privateKey: newPrivateKey() }),
    events: eventRecorder(store, host.clock),
    streams: new Set(),
    logs: () => undefined,
    sessions: () => undefined,
    webhooks: { ...webhooks, close: () => {} },
    addresses: serviceAddresses(store, serviceRanges("127.90.0.1")),
  };
  startControllers(scope, testAuthority);
  createInitialObjects(scope, apiAddress);
  const api = createApi({
    ...scope,
    serverAddress: () => `${apiAddress.address}:${apiAddress.port}`,
    onFailure(error) {
      throw error;
    },
  });
  return {
    host,
    scope,
    api,
    async call(method, path, { body, headers = {}, token = adminToken } = {}) {
      const all = { "content-type": "application/json", authorization: `Bearer ${token}`, ...headers };
      const sent = body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) };
      const response = await api({ method, path, headers: all, ...sent });
      return { ...response, text: () => readAll(response.body) };
    },
    put(collection, object) {
      const stored = store.create(collection, object);
      if (stored === undefined) throw new Error(`${collection}: the name exists`);
      return stored;
    },
  };
}

async function readAll(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}
