import { describe, expect, test } from "vitest";
import type { StopSignal } from "../errors/stop-signal.ts";
import { isSubmitError, type SubmitError } from "../errors/submit-error.ts";
import { testClock } from "../host/test-clock.ts";
import { resourceTypes } from "../kube/resources.ts";
import type { Pod } from "../kube/types.ts";
import { kubeClient } from "./client.ts";
import { mayHaveArrived, unseen } from "./network-error.ts";
import { chunks, type Fault, refused, socketError, testApi } from "./test-api.ts";

const type = resourceTypes.pod;
const drv = { type, namespace: "ns", name: "drv" };
const pod: Pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "drv" } };

function clientOf(fault?: Fault) {
  const clock = testClock(Date.UTC(2026, 0, 1));
  const api = testApi(fault);
  const logged: string[] = [];
  const client = kubeClient({
    transport: api.transport,
    server: "https://api:6443",
    clock,
    requestTimeoutMs: 10_000,
    log: (_, __, text) => logged.push(text),
  });
  return { api, clock, client, logged };
}

async function errorOf(promise: Promise<unknown>): Promise<SubmitError> {
  const error: unknown = await promise.then(
    () => new Error("it succeeded"),
    (reason: unknown) => reason,
  );
  if (isSubmitError(error)) return error;
  throw error;
}

describe("a client", () => {
  test("creates, applies, patches, gets, lists and deletes in the API's formats", async () => {
    const { api, client } = clientOf();
    expect((await client.create({ type, namespace: "ns", object: pod })).metadata?.uid).toBe("uid-1");
    const map = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "m" } };
    const mapType = { type: resourceTypes.configMap, namespace: "ns" };
    expect((await client.apply({ ...mapType, object: map })).created).toBe(true);
    expect((await client.apply({ ...mapType, object: map })).created).toBe(false);
    await client.patch({ ...drv, patch: { metadata: { labels: { a: "b" } } } });
    expect(await client.get(drv)).toMatchObject({ kind: "Pod" });
    expect((await client.list({ type, namespace: "ns", labelSelector: "a=b" })).items).toHaveLength(1);
    expect(await client.delete({ ...drv, uid: "uid-1", gracePeriodSeconds: 0 })).toBe(true);
    expect(await client.delete(drv)).toBe(false);
    expect(api.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      "POST /api/v1/namespaces/ns/pods?fieldManager=firesteel",
      "PATCH /api/v1/namespaces/ns/configmaps/m?fieldManager=firesteel&force=true",
      "PATCH /api/v1/namespaces/ns/configmaps/m?fieldManager=firesteel&force=true",
      "PATCH /api/v1/namespaces/ns/pods/drv?fieldManager=firesteel",
      "GET /api/v1/namespaces/ns/pods/drv",
      "GET /api/v1/namespaces/ns/pods?labelSelector=a%3Db&limit=500",
      "DELETE /api/v1/namespaces/ns/pods/drv",
      "DELETE /api/v1/namespaces/ns/pods/drv",
    ]);
    expect(api.requests.map(({ headers }) => headers["content-type"])).toEqual([
      "application/json",
      "application/apply-patch+yaml",
      "application/apply-patch+yaml",
      "application/merge-patch+json",
      undefined,
      undefined,
      "application/json",
      "application/json",
    ]);
    expect(JSON.parse(String(api.requests[6]?.body))).toEqual({
      apiVersion: "v1",
      kind: "DeleteOptions",
      propagationPolicy: "Background",
      gracePeriodSeconds: 0,
      preconditions: { uid: "uid-1" },
    });
  });

  test("lists in pages, and starts again when the continue token has expired", async () => {
    const item = { metadata: { name: "a" } };
    const page = (items: object[] | null, next?: string) => ({
      status: 200,
      body: { items, metadata: { resourceVersion: "9", ...(next && { continue: next }) } },
    });
    const pages = [page([item], "c1"), refused(410, "expired"), page([item], "c2"), page(null)];
    const { api, client } = clientOf((_, number) => pages[number - 1]);
    expect(await client.list({ type })).toEqual({ items: [item], resourceVersion: "9" });
    expect(api.requests[3]?.path).toBe("/api/v1/pods?continue=c2&limit=500");
  });
});

describe("a failing call", () => {
  test.each([429, 500, 503])("with HTTP %i is sent seven times, with growing delays", async (status) => {
    const { api, client, clock, logged } = clientOf(() => refused(status, "busy"));
    const startMs = clock.now();
    const error = await clock.settle(errorOf(client.create({ type, namespace: "ns", object: pod })));
    expect(error.code).toBe("SUBMIT_ERR_KUBE_REJECTED");
    expect(api.requestLines).toHaveLength(7);
    expect(clock.now() - startMs).toBe(100 + 200 + 400 + 800 + 1600 + 3200);
    expect(logged[0]).toMatch(/Message: busy\. Trying again\.$/);
  });

  test.each([400, 401, 403, 404, 409, 413, 422])("with HTTP %i is sent once", async (status) => {
    const { api, client } = clientOf(() => refused(status, "no"));
    await errorOf(client.get(drv));
    expect(api.requestLines).toHaveLength(1);
  });

  test("waits for Retry-After", async () => {
    const busy = { ...refused(429, "busy"), headers: { "retry-after": "7" } };
    const { client, clock } = clientOf((_, number) => (number === 1 ? busy : undefined));
    const startMs = clock.now();
    await clock.settle(client.create({ type, namespace: "ns", object: pod }));
    expect(clock.now() - startMs).toBeGreaterThanOrEqual(7000);
  });

  test("is retried after a broken connection, unless it is a POST that may have arrived", async () => {
    const breaks: Fault = (_, number) => {
      if (number === 1) throw socketError("ECONNRESET");
      return undefined;
    };
    const getting = clientOf(breaks);
    await getting.clock.settle(errorOf(getting.client.get(drv)));
    expect(getting.api.requestLines).toHaveLength(2);
    const posting = clientOf(breaks);
    const error = await errorOf(posting.client.create({ type, namespace: "ns", object: pod }));
    expect(error.code).toBe("SUBMIT_ERR_KUBE_UNREACHABLE");
    expect(posting.api.requestLines).toHaveLength(1);
    const refusing = clientOf((_, number) => {
      if (number === 1) throw socketError("ECONNREFUSED");
      return undefined;
    });
    await refusing.clock.settle(refusing.client.create({ type, namespace: "ns", object: pod }));
    expect(refusing.api.requestLines).toHaveLength(2);
  });

  test("ends after the time limit without a retry", async () => {
    const { api, client, clock } = clientOf(({ signal }) => untilAborted(signal));
    const error = await clock.settle(errorOf(client.create({ type, namespace: "ns", object: pod })));
    expect(error.code).toBe("SUBMIT_ERR_KUBE_TIMEOUT");
    expect(error.message).toBe(
      "The timeout period of 10000ms has been exceeded while executing POST /api/v1/namespaces/ns/pods for server api:6443",
    );
    expect(api.requestLines).toHaveLength(1);
  });

  test("that cannot connect within the limit was never sent", async () => {
    const { api, client, clock } = clientOf(async ({ signal }) => {
      await untilAborted(signal).catch(() => {});
      throw unseen(socketError("ABORT_ERR"));
    });
    const error = await clock.settle(errorOf(client.create({ type, namespace: "ns", object: pod })));
    expect(error.message).toContain("No response from https://api:6443: connection timed out");
    expect(mayHaveArrived(error)).toBe(false);
    expect(api.requestLines).toHaveLength(1);
  });

  test.each(["ECONNRESET", "ETIMEDOUT"])(
    "stays in doubt when only its first attempt, broken by %s, may have arrived",
    async (broken) => {
      const { client, clock } = clientOf((_, number) => {
        throw socketError(number === 1 ? broken : "ECONNREFUSED");
      });
      expect(mayHaveArrived(await clock.settle(errorOf(client.delete(drv))))).toBe(true);
    },
  );

  test("ends with the response if one attempt had a response", async () => {
    const responding = clientOf((_, number) => (number === 1 ? refused(503, "busy") : refused(404, "gone")));
    const error = await responding.clock.settle(errorOf(responding.client.get(drv)));
    expect(error.code).toBe("SUBMIT_ERR_KUBE_NOT_FOUND");
  });

  test("that is cut off before it is connected was never sent, so a POST is retried", async () => {
    const { api, client, clock } = clientOf(() => {
      throw unseen(socketError("ECONNRESET"));
    });
    const error = await clock.settle(errorOf(client.create({ type, namespace: "ns", object: pod })));
    expect(mayHaveArrived(error)).toBe(false);
    expect(api.requestLines).toHaveLength(4);
  });

  test.each([
    ["before it is sent", false, () => undefined],
    ["before it is connected", false, () => unseen(socketError("ABORT_ERR"))],
    ["when it is sent", true, () => socketError("ABORT_ERR")],
  ])("that is stopped %s may have arrived: %s", async (_, arrived, error) => {
    const abort = new AbortController();
    const { client } = clientOf(() => {
      abort.abort();
      throw error();
    });
    if (error() === undefined) abort.abort();
    const stopped = await errorOf(client.get({ ...drv, signal: abort.signal }));
    expect(stopped.code).toBe("SUBMIT_ERR_INTERRUPTED");
    expect(mayHaveArrived(stopped)).toBe(arrived);
  });

  test("is not retried after a closed connection, as in older client libraries", async () => {
    const clock = testClock(0);
    const api = testApi(() => {
      throw socketError("ECONNRESET");
    });
    const client = kubeClient({
      ...{ clock, server: "https://api:6443", requestTimeoutMs: 10_000, log: () => {} },
      transport: api.transport,
      retry: { repeatsCutOff: "never" },
    });
    expect((await errorOf(client.get(drv))).message).toMatch(/^Connection was closed\. No response from /);
    expect(api.requestLines).toHaveLength(1);
  });

  test.each([
    ["unlessPost", 1],
    ["always", 4],
  ] as const)(
    "that creates is made again after a closed connection as the policy says: %s",
    async (repeatsCutOff, expectedRequests) => {
      const clock = testClock(0);
      const api = testApi(() => {
        throw socketError("ECONNRESET");
      });
      const client = kubeClient({
        ...{ clock, server: "https://api:6443", requestTimeoutMs: 10_000, log: () => {} },
        transport: api.transport,
        retry: { repeatsCutOff },
      });
      const object = { apiVersion: "v1", kind: "Pod", metadata: { name: "drv" } };
      await clock.settle(errorOf(client.create({ type, namespace: "ns", object })));
      expect(api.requestLines).toHaveLength(expectedRequests);
    },
  );

  test("to an HTTPS server without encryption suggests https://", async () => {
    const clock = testClock(0);
    const transport = async () => {
      throw socketError("ECONNRESET");
    };
    const logged: string[] = [];
    const client = kubeClient({
      ...{ transport, clock, server: "http://api:6443", requestTimeoutMs: 10_000 },
      log: (_, __, text) => logged.push(text),
    });
    expect((await clock.settle(errorOf(client.get(drv)))).message).toContain("is it an https:// address?");
    expect(logged[0]).toMatch(/address\? Trying again\.$/);
  });

  test.each([
    ["a b", "drv", "SUBMIT_ERR_KUBE_NAMESPACE"],
    ["${spark.none}", "drv", "SUBMIT_ERR_KUBE_NAMESPACE"],
    ["100%", "drv", "SUBMIT_ERR_KUBE_NAMESPACE"],
    ["", "drv", "SUBMIT_ERR_KUBE_NAMESPACE"],
    ["ns", "{drv}", "SUBMIT_ERR_KUBE_NAME"],
  ])("with names %j and %j is rejected: they are invalid in a URI", async (namespace, name, code) => {
    const { api, client } = clientOf();
    expect((await errorOf(client.get({ type, namespace, name }))).code).toBe(code);
    expect(api.requestLines).toEqual([]);
  });

  test("does not escape names with Spark's behavior, except to delete", async () => {
    const clock = testClock(0);
    const api = testApi();
    const client = kubeClient({
      ...{ transport: api.transport, clock, server: "https://api:6443", requestTimeoutMs: 10_000 },
      ...{ log: () => {}, writesNamesRaw: true },
    });
    const call = { type, namespace: "a#b", name: "drv" };
    await errorOf(client.get(call));
    await client.delete(call);
    expect(api.requestLines).toEqual(["GET /api/v1/namespaces/a", "DELETE /api/v1/namespaces/a%23b/pods/drv"]);
  });

  test("ends with its signal, also during a delay", async () => {
    const abort = new AbortController();
    const { client, clock } = clientOf(() => refused(500, "busy"));
    const error = errorOf(client.get({ ...drv, signal: abort.signal }));
    await clock.advance(50);
    abort.abort();
    expect((await error).code).toBe("SUBMIT_ERR_INTERRUPTED");
  });

  test("distinguishes an untrusted certificate and an unreadable response from an unreachable server", async () => {
    const certificate = clientOf(() => {
      throw socketError("SELF_SIGNED_CERT_IN_CHAIN");
    });
    expect((await errorOf(certificate.client.get(drv))).code).toBe("SUBMIT_ERR_KUBE_CERTIFICATE");
    const page = clientOf(() => ({ status: 200, body: "<html>secret" }));
    const error = await errorOf(page.client.get(drv));
    expect(error.code).toBe("SUBMIT_ERR_KUBE_RESPONSE");
    expect(error.message).not.toContain("secret");
    const cut = clientOf(() => ({ status: 200, stream: chunks('{"kind":', socketError("ECONNRESET")) }));
    expect((await cut.clock.settle(errorOf(cut.client.get(drv)))).code).toBe("SUBMIT_ERR_KUBE_UNREACHABLE");
  });
});

describe("a stream", () => {
  test("of a watch yields its events, but not an incomplete line", async () => {
    const stream = chunks(
      '{"type":"ADDED","object":{"kind":"Pod","metadata":{}}}\n{"type":"BOOK',
      'MARK","object":{}}\n{"ty',
    );
    const { api, client } = clientOf(() => ({ status: 200, stream }));
    const types = [];
    const call = {
      type,
      namespace: "ns",
      fieldSelector: "metadata.name=drv",
      resourceVersion: "5",
      timeoutSeconds: 9,
    };
    for await (const event of client.watch(call)) types.push(event.type);
    expect(types).toEqual(["ADDED", "BOOKMARK"]);
    expect(api.requests[0]?.path).toBe(
      "/api/v1/namespaces/ns/pods?allowWatchBookmarks=true&fieldSelector=metadata.name%3Ddrv&resourceVersion=5&timeoutSeconds=9&watch=true",
    );
  });

  test("of a watch without data ends after 1.5 times its timeout", async () => {
    const { client, clock } = clientOf(({ signal }) => ({ status: 200, stream: neverEndingStream(signal) }));
    const startMs = clock.now();
    const ended = (async () => {
      for await (const _ of client.watch({ type, timeoutSeconds: 60 })) expect.unreachable();
    })();
    await clock.settle(ended);
    expect(clock.now() - startMs).toBe(90_000);
  });

  test("fails when it breaks, and on a line that is not an event", async () => {
    const broken = clientOf(() => ({ status: 200, stream: chunks("x", socketError("ECONNRESET")) }));
    expect((await errorOf(drain(broken.client.logs({ namespace: "ns", pod: "drv" })))).code).toBe(
      "SUBMIT_ERR_KUBE_UNREACHABLE",
    );
    const garbage = clientOf(() => ({ status: 200, stream: chunks("garbage\n") }));
    expect((await errorOf(drain(garbage.client.watch({ type })))).code).toBe("SUBMIT_ERR_KUBE_RESPONSE");
  });

  test("of a log sends the requested options", async () => {
    const { api, client } = clientOf(() => ({ status: 200, body: "line\n" }));
    await drain(
      client.logs({
        namespace: "ns",
        pod: "drv",
        container: "c",
        follow: true,
        sinceTime: "2026-01-01T00:00:00Z",
      }),
    );
    expect(api.requests[0]?.path).toBe(
      "/api/v1/namespaces/ns/pods/drv/log?container=c&follow=true&sinceTime=2026-01-01T00%3A00%3A00Z",
    );
  });
});

async function drain(stream: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of stream);
}

function untilAborted(signal: StopSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    signal?.addEventListener("abort", () => reject(socketError("ABORT_ERR")), { once: true });
  });
}

async function* neverEndingStream(signal: StopSignal | undefined): AsyncGenerator<Uint8Array> {
  yield await untilAborted(signal);
}

describe("an endless response", () => {
  /** Sends 1 MiB at a time, and counts them. */
  function endless(content: string) {
    const sent = { mebibytes: 0 };
    const piece = Buffer.from(content.repeat(1024 * 1024).slice(0, 1024 * 1024));
    async function* stream() {
      // More than any limit: the test would end, and fail.
      for (; sent.mebibytes < 200; sent.mebibytes += 1) yield piece;
    }
    return { sent, stream };
  }

  test.each([
    ["of an object", "[", 200, 65, "it is longer than 67108864 bytes"],
    ["of a list", "[", 200, 65, "it is longer than 67108864 bytes"],
    ["of a watch", "[", 200, 17, "an event is longer than 16777216 bytes"],
    ["with an error", "<", 500, 2, "<<<"],
  ])("%s is cut off", async (what, content, status, maxMebibytes, reason) => {
    const { sent, stream } = endless(content);
    const { client, clock } = clientOf(() => ({ status, stream: stream() }));
    const calls = { "of a list": () => client.list({ type }), "of a watch": () => drain(client.watch({ type })) };
    const call = Object.entries(calls).find(([name]) => name === what)?.[1] ?? (() => client.withoutRetries().get(drv));
    const error = await clock.settle(errorOf(call()));
    expect(error.code).toBe(status === 200 ? "SUBMIT_ERR_KUBE_RESPONSE" : "SUBMIT_ERR_KUBE_REJECTED");
    expect(error.message).toContain(reason);
    expect(error.message.length).toBeLessThan(1000);
    expect(sent.mebibytes).toBeLessThanOrEqual(maxMebibytes);
  });

  test("of a log passes on every byte", async () => {
    const { stream } = endless("x");
    const { client } = clientOf(() => ({ status: 200, stream: stream() }));
    let bytes = 0;
    for await (const chunk of client.logs({ namespace: "ns", pod: "drv" })) bytes += chunk.length;
    expect(bytes).toBe(200 * 1024 * 1024);
  });

  test("of a rejection with a long message is cut", async () => {
    const { client } = clientOf(() => refused(422, "invalid: ".repeat(100_000)));
    expect((await errorOf(client.get(drv))).message.length).toBeLessThan(33_000);
  });
});
