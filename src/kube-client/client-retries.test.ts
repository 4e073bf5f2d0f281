import { describe, expect, test } from "vitest";
import { testClock } from "../host/test-clock.ts";
import { kubeClient } from "./client.ts";
import { mayHaveArrived, unseen } from "./network-error.ts";
import { type Fault, refused, socketError, testApi } from "./test-api.ts";
import { driverPod, driverTarget, errorOf, podType, testClient, untilAborted } from "./test-client.ts";

describe("a failing call", () => {
  test.each([429, 500, 503])("with HTTP %i is sent seven times, with growing delays", async (status) => {
    const { api, client, clock, logged } = testClient(() => refused(status, "busy"));
    const startMs = clock.now();
    const error = await clock.settle(errorOf(client.create({ type: podType, namespace: "ns", object: driverPod })));
    expect(error.code).toBe("SUBMIT_ERR_KUBE_REJECTED");
    expect(api.requestLines).toHaveLength(7);
    expect(clock.now() - startMs).toBe(100 + 200 + 400 + 800 + 1600 + 3200);
    expect(logged[0]).toMatch(/Message: busy\. Trying again\.$/);
  });

  test.each([400, 401, 403, 404, 409, 413, 422])("with HTTP %i is sent once", async (status) => {
    const { api, client } = testClient(() => refused(status, "no"));
    await errorOf(client.get(driverTarget));
    expect(api.requestLines).toHaveLength(1);
  });

  test("waits for Retry-After", async () => {
    const busy = { ...refused(429, "busy"), headers: { "retry-after": "7" } };
    const { client, clock } = testClient((_, number) => (number === 1 ? busy : undefined));
    const startMs = clock.now();
    await clock.settle(client.create({ type: podType, namespace: "ns", object: driverPod }));
    expect(clock.now() - startMs).toBeGreaterThanOrEqual(7000);
  });

  test("is retried after a broken connection, unless it is a POST that may have arrived", async () => {
    const breaks: Fault = (_, number) => {
      if (number === 1) throw socketError("ECONNRESET");
      return undefined;
    };
    const getting = testClient(breaks);
    await getting.clock.settle(errorOf(getting.client.get(driverTarget)));
    expect(getting.api.requestLines).toHaveLength(2);
    const posting = testClient(breaks);
    const error = await errorOf(posting.client.create({ type: podType, namespace: "ns", object: driverPod }));
    expect(error.code).toBe("SUBMIT_ERR_KUBE_UNREACHABLE");
    expect(posting.api.requestLines).toHaveLength(1);
    const refusing = testClient((_, number) => {
      if (number === 1) throw socketError("ECONNREFUSED");
      return undefined;
    });
    await refusing.clock.settle(refusing.client.create({ type: podType, namespace: "ns", object: driverPod }));
    expect(refusing.api.requestLines).toHaveLength(2);
  });

  test("ends after the time limit without a retry", async () => {
    const { api, client, clock } = testClient(({ signal }) => untilAborted(signal));
    const error = await clock.settle(errorOf(client.create({ type: podType, namespace: "ns", object: driverPod })));
    expect(error.code).toBe("SUBMIT_ERR_KUBE_TIMEOUT");
    expect(error.message).toBe(
      "The timeout period of 10000ms has been exceeded while executing POST /api/v1/namespaces/ns/pods for server api:6443",
    );
    expect(api.requestLines).toHaveLength(1);
  });

  test("that cannot connect within the limit was never sent", async () => {
    const { api, client, clock } = testClient(async ({ signal }) => {
      await untilAborted(signal).catch(() => {});
      throw unseen(socketError("ABORT_ERR"));
    });
    const error = await clock.settle(errorOf(client.create({ type: podType, namespace: "ns", object: driverPod })));
    expect(error.message).toContain("No response from https://api:6443: connection timed out");
    expect(mayHaveArrived(error)).toBe(false);
    expect(api.requestLines).toHaveLength(1);
  });

  test.each(["ECONNRESET", "ETIMEDOUT"])(
    "stays in doubt when only its first attempt, broken by %s, may have arrived",
    async (broken) => {
      const { client, clock } = testClient((_, number) => {
        throw socketError(number === 1 ? broken : "ECONNREFUSED");
      });
      expect(mayHaveArrived(await clock.settle(errorOf(client.delete(driverTarget))))).toBe(true);
    },
  );

  test("ends with the response if one attempt had a response", async () => {
    const responding = testClient((_, number) => (number === 1 ? refused(503, "busy") : refused(404, "gone")));
    const error = await responding.clock.settle(errorOf(responding.client.get(driverTarget)));
    expect(error.code).toBe("SUBMIT_ERR_KUBE_NOT_FOUND");
  });

  test("that is cut off before it is connected was never sent, so a POST is retried", async () => {
    const { api, client, clock } = testClient(() => {
      throw unseen(socketError("ECONNRESET"));
    });
    const error = await clock.settle(errorOf(client.create({ type: podType, namespace: "ns", object: driverPod })));
    expect(mayHaveArrived(error)).toBe(false);
    expect(api.requestLines).toHaveLength(4);
  });

  test.each([
    ["before it is sent", false, () => undefined],
    ["before it is connected", false, () => unseen(socketError("ABORT_ERR"))],
    ["when it is sent", true, () => socketError("ABORT_ERR")],
  ])("that is stopped %s may have arrived: %s", async (_, arrived, error) => {
    const abort = new AbortController();
    const { client } = testClient(() => {
      abort.abort();
      throw error();
    });
    if (error() === undefined) abort.abort();
    const stopped = await errorOf(client.get({ ...driverTarget, signal: abort.signal }));
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
    expect((await errorOf(client.get(driverTarget))).message).toMatch(/^Connection was closed\. No response from /);
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
      await clock.settle(errorOf(client.create({ type: podType, namespace: "ns", object })));
      expect(api.requestLines).toHaveLength(expectedRequests);
    },
  );
});
