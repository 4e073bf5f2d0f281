import { describe, expect, test } from "vitest";
import { behaviorsOf } from "../../../conf/behaviors.ts";
import { isSubmitError } from "../../../errors/submit-error.ts";
import type { TestClock } from "../../../host/test-clock.ts";
import { kubeClient } from "../../../kube-client/client.ts";
import { chunks, refused, socketError } from "../../../kube-client/test-api.ts";
import {
  driverPod,
  failedPod,
  runningPod,
  stateChanged,
  succeededPod,
  type WatchResponse,
  watchResponse,
  watchTestDriver,
} from "./test-watch.ts";
import { watchDriver } from "./watch-driver.ts";

const spark = behaviorsOf({ FIRESTEEL_STRICT: "1" });

/** Yields nothing for a while, then breaks. */
async function* lateReset(clock: TestClock, ms: number): AsyncGenerator<Uint8Array> {
  await clock.sleep(ms);
  yield* chunks(socketError("ECONNRESET"));
}

describe("a watch that", () => {
  const expired = { kind: "Status", code: 410, message: "too old resource version" };
  test.each<[string, WatchResponse]>([
    ["ends", watchResponse()],
    ["is too old, in the stream,", watchResponse(["ERROR", expired])],
    ["is too old, as a response,", refused(410, "too old")],
    ["fails in the stream", watchResponse(["ERROR", { kind: "Status", code: 500 }])],
    ["is rejected with 503", refused(503, "busy")],
    ["is rejected with 401", refused(401, "Unauthorized")],
    ["breaks", watchResponse(["MODIFIED", runningPod], socketError("ECONNRESET"))],
    ["sends garbage", { status: 200, stream: chunks("<html>\n") }],
    ["cannot be opened", socketError("ECONNREFUSED")],
    ["sends nothing", "silence"],
    ["sends another pod", watchResponse(["ADDED", driverPod(7, "Failed", {}, "other")])],
  ])("%s does not hide the end", async (_, broken) => {
    const { end, logged } = watchTestDriver([broken, watchResponse(["MODIFIED", succeededPod])]);
    expect((await end()).kind).toBe("succeeded");
    const states = logged.filter((text) => text.startsWith(stateChanged));
    expect(new Set(states).size).toBe(states.length);
  });

  test("ends repeatedly is restarted with growing delays", async () => {
    const { abort, call, clock, requests } = watchTestDriver([watchResponse()]);
    const ended = watchDriver(call);
    await clock.advance(60_000);
    abort.abort();
    await ended;
    expect(requests.filter(({ path }) => path.includes("watch")).length).toBeLessThan(18);
  });

  test("sends nothing is replaced, and the driver's end is found", async () => {
    const { clock, end } = watchTestDriver(["silence"], [{ status: 200, body: succeededPod }]);
    expect((await end()).kind).toBe("succeeded");
    expect(clock.monotonic()).toBeLessThan(120_000);
  });

  test("broke in an outage of an hour reports the end within 8 s and at most one failure a minute", {
    tags: "long",
  }, async () => {
    const away = socketError("ECONNREFUSED");
    let isBack = false;
    const { call, clock, host, logged } = watchTestDriver([]);
    const client = kubeClient({
      ...{ server: "https://api", clock, log: () => {}, requestTimeoutMs: 10_000 },
      transport: async () => {
        if (!isBack) throw away;
        return { status: 200, headers: {}, body: chunks(JSON.stringify(succeededPod)) };
      },
    });
    const ended = watchDriver({ ...call, client });
    await clock.advance(3_600_000);
    isBack = true;
    const before = host.clock.monotonic();
    expect((await clock.settle(ended)).kind).toBe("succeeded");
    expect(host.clock.monotonic() - before).toBeLessThan(8000);
    expect(logged.filter((text) => text.includes("Retrying to watch")).length).toBeLessThan(62);
    expect(logged).toContain("Watching the driver again.");
  });

  test("breaks every 30 s is restarted without growing delays", async () => {
    const { call, clock, abort, requests } = watchTestDriver([]);
    const client = kubeClient({
      ...{ server: "https://api", clock, log: () => {}, requestTimeoutMs: 0 },
      transport: async (request) => {
        requests.push(request);
        const isWatch = request.path.includes("watch=");
        const broken = lateReset(clock, 30_000);
        return { status: 200, headers: {}, body: isWatch ? broken : chunks(JSON.stringify(runningPod)) };
      },
    });
    const ended = watchDriver({ ...call, client });
    await clock.advance(600_000);
    abort.abort();
    await clock.advance(60_000);
    await ended;
    expect(requests.filter(({ path }) => path.includes("watch=")).length).toBeGreaterThan(18);
  });

  test("misses the end finds it by reading the pod", async () => {
    const { end } = watchTestDriver(
      [watchResponse(["MODIFIED", runningPod])],
      [socketError("ECONNRESET"), { status: 200, body: failedPod }],
    );
    expect((await end()).kind).toBe("failed");
  });

  test("is denied is replaced by polling, which is logged once", async () => {
    const reads: readonly WatchResponse[] = [{ status: 200, body: runningPod }, socketError("ECONNRESET")];
    const { end, logged, requests } = watchTestDriver(
      [refused(403, "no watch")],
      [...reads, ...reads, { status: 200, body: failedPod }],
    );
    expect((await end()).kind).toBe("failed");
    expect(logged.filter((text) => text.includes("no watch"))).toHaveLength(1);
    expect(requests.filter(({ path }) => path.includes("watch="))).toHaveLength(1);
  });

  test("is denied ends the wait if reading the pod is denied, too, or with Spark's behavior", async () => {
    const blind = watchTestDriver([refused(403, "no watch")], [refused(403, "no get")]);
    await expect(blind.end()).rejects.toThrow("no get");
    expect(blind.logged.join("\n")).toContain("Check its state: firesteel status ns:drv --master k8s://https://h");
    const asSpark = watchTestDriver([refused(403, "no watch")]);
    await expect(asSpark.end({ behaviors: spark })).rejects.toThrow(
      /^Received 403 on websocket. Failure executing: GET at: .*\/api\/v1\/namespaces\/ns\/pods\?allowWatchBookmarks=true&fieldSelector=metadata.name%3Ddrv&watch=true. Message: Forbidden.$/,
    );
    expect(asSpark.requests).toHaveLength(1);
    const traits = { strayBraceInWaitingLine: false, watchNamesPodFirst: true };
    await expect(watchTestDriver([refused(403, "no")]).end({ behaviors: spark, traits })).rejects.toThrow(
      "?fieldSelector=metadata.name%3Ddrv&allowWatchBookmarks=true&watch=true. Message: Forbidden.",
    );
  });

  test.each([
    [400, "SUBMIT_ERR_KUBE_WATCH", 1],
    [410, "SUBMIT_ERR_KUBE_WATCH", 1],
    [405, "SUBMIT_ERR_KUBE_REJECTED", 1],
    [401, "SUBMIT_ERR_KUBE_WATCH", 1],
  ])("is always rejected with %i ends the wait with %s", async (status, code, attempts) => {
    const { end, requests } = watchTestDriver([refused(status, "no")], [refused(status, "no")]);
    const error: unknown = await end({ behaviors: spark }).catch((reason: unknown) => reason);
    expect(isSubmitError(error) && error.code).toBe(code);
    expect(requests).toHaveLength(attempts);
  });

  test("is rejected with 401 is retried for two minutes, so that credentials can be renewed", async () => {
    const rejections = Array.from({ length: 12 }, () => refused(401, "expired"));
    const renewed = watchTestDriver([refused(401, "expired")], [...rejections, { status: 200, body: succeededPod }]);
    expect((await renewed.end()).kind).toBe("succeeded");
    const { clock, end } = watchTestDriver([refused(401, "no")], [refused(401, "no")]);
    const error: unknown = await end().catch((reason: unknown) => reason);
    expect(isSubmitError(error) && error.code).toBe("SUBMIT_ERR_KUBE_UNAUTHORIZED");
    expect(clock.monotonic()).toBeGreaterThan(120_000);
  });
});
