import { expect, test } from "vitest";
import { testClock } from "../../host/test-clock.ts";
import type { KubeResource } from "../../kube/types.ts";
import { kubeClient } from "../../kube-client/client.ts";
import { type Fault, testApi } from "../../kube-client/test-api.ts";
import { leadByLease } from "./lead-by-lease.ts";

const lease = "/apis/coordination.k8s.io/v1/namespaces/jobs/leases/gateway";

function setUp(fault: Fault = () => undefined) {
  let suspendedMs = 0;
  const running = testClock(0);
  const clock = { ...running, monotonic: () => running.monotonic() + suspendedMs };
  const { transport, objects, put, requestLines } = testApi(fault);
  const client = kubeClient({ transport, server: "https://api", clock, log: () => {}, requestTimeoutMs: 1000 });
  const holders: string[] = [];
  const acquire = (holder: string, signal = new AbortController().signal) =>
    leadByLease(
      { client: client.withoutRetries(), clock, log: () => {}, namespace: "jobs", name: "gateway", holder, signal },
      (present) => holders.push(present),
    );
  const holder = () => /"holderIdentity":"(\w*)"/.exec(JSON.stringify(objects.get(lease)))?.[1];
  const suspend = (ms: number) => {
    suspendedMs += ms;
  };
  const requestCount = () => requestLines.length;
  return { clock, suspend, requestCount, acquire, holders, holder, put: (object: KubeResource) => put(lease, object) };
}

test("one process leads, and the next one follows at once when it is released", async () => {
  const { clock, acquire, holders, holder } = setUp();
  const first = await acquire("a");
  const second = acquire("b");
  await clock.advance(10_000);
  expect([holder(), holders]).toEqual(["a", ["a"]]);
  await first?.release();
  await clock.advance(2000);
  await second;
  expect(holder()).toBe("b");
});

test("a leader that ended without a release is replaced when its lease has expired, not before", async () => {
  const { clock, acquire, holder, put } = setUp();
  const spec = { holderIdentity: "gone", leaseDurationSeconds: 15, renewTime: "2030-01-01T00:00:00.000000Z" };
  put({ apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: { name: "gateway", namespace: "jobs" }, spec });
  const next = acquire("b");
  await clock.advance(14_000);
  expect(holder()).toBe("gone");
  await clock.advance(4000);
  await next;
  expect(holder()).toBe("b");
});

test("a leader that cannot renew its lease steps down before another one can take it", async () => {
  let isCut = false;
  const { clock, acquire } = setUp(() => {
    if (isCut) throw Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });
    return undefined;
  });
  const first = await acquire("a");
  isCut = true;
  let isLost = false;
  void first?.lost.then(() => {
    isLost = true;
  });
  await clock.advance(8000);
  expect(isLost).toBe(false);
  await clock.advance(4000);
  expect(isLost).toBe(true);
});

test("a leader that was suspended does not lead afterwards, and does not renew its lease", async () => {
  const { clock, acquire, suspend, requestCount } = setUp();
  const first = await acquire("a");
  let isLost = false;
  void first?.lost.then(() => {
    isLost = true;
  });
  expect(first?.isLeading()).toBe(true);
  const before = requestCount();
  suspend(60_000);
  expect(first?.isLeading()).toBe(false);
  await clock.advance(2000);
  expect([isLost, requestCount()]).toEqual([true, before]);
});
