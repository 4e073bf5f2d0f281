import { describe, expect, test } from "vitest";
import { behaviorsOf } from "../../../conf/behaviors.ts";
import { isSubmitError } from "../../../errors/submit-error.ts";
import type { Log } from "../../../host/log.ts";
import type { TestClock } from "../../../host/test-clock.ts";
import { testHost } from "../../../host/test-host.ts";
import type { ApiRequest } from "../../../kube/transport.ts";
import type { Pod } from "../../../kube/types.ts";
import { kubeClient } from "../../../kube-client/client.ts";
import { chunks, neverEndingStream, refused, socketError, type TestResponse } from "../../../kube-client/test-api.ts";
import { latestPod } from "./latest-pod.ts";
import { watchDriver } from "./watch-driver.ts";

const spark = behaviorsOf({ FIRESTEEL_STRICT: "1" });

const container = "spark-kubernetes-driver";

/** Creates the driver's pod; `version` is its resourceVersion. */
function pod(version: number, phase = "Pending", state: object = {}, uid = "u"): Pod {
  const status = { name: container, image: "img", imageID: "", ready: false, restartCount: 0, state };
  return {
    metadata: { name: "drv", namespace: "ns", uid, resourceVersion: String(version) },
    status: { phase, ...(Object.keys(state).length > 0 && { containerStatuses: [status] }) },
  };
}

const created = pod(1);
const running = pod(5, "Running", { running: {} });
const terminated = (exitCode: number, reason: string) => ({ terminated: { exitCode, reason } });
const succeeded = pod(9, "Succeeded", terminated(0, "Completed"));
const failed = pod(9, "Failed", terminated(137, "OOMKilled"));

const driverLog = "2026-01-01T00:00:01Z Pi is roughly 3.14\n";

type Response = TestResponse | Error | "silence";

/** Creates a watch that sends these events and then ends, or breaks. */
function watch(...events: readonly (readonly [string, object] | Error)[]): TestResponse {
  const parts = events.map((event) =>
    event instanceof Error ? event : `${JSON.stringify({ type: event[0], object: event[1] })}\n`,
  );
  return { status: 200, stream: chunks(...parts) };
}

/** Waits for the driver; `watches` and `gets` are the responses in their order, the last one repeatedly. */
function waiting(watches: readonly Response[], gets: readonly Response[] = [{ status: 200, body: running }]) {
  const host = testHost();
  const requests: ApiRequest[] = [];
  const logged: string[] = [];
  const abort = new AbortController();
  const next = { watch: 0, get: 0 };
  const transport = async (request: ApiRequest) => {
    requests.push(request);
    if (request.path.includes("/log?")) return { status: 200, headers: {}, body: chunks(driverLog) };
    const isWatch = request.path.includes("watch=true");
    const responses = isWatch ? watches : gets;
    const number = Math.min(next[isWatch ? "watch" : "get"]++, responses.length - 1);
    const response = responses[number] ?? "silence";
    if (response instanceof Error) throw response;
    if (response === "silence") return { status: 200, headers: {}, body: neverEndingStream(request.signal) };
    const { status, headers = {}, body = {}, stream } = response;
    return { status, headers, body: stream ?? chunks(JSON.stringify(body)) };
  };
  const { clock, random } = host;
  const log = (_: string, __: string, text: string) => logged.push(text);
  const client = kubeClient({
    transport,
    server: "https://api",
    clock,
    log: () => {},
    requestTimeoutMs: 10_000,
  });
  const call = {
    ...{ client, clock, random, log, container, latest: latestPod(created), signal: abort.signal },
    app: { name: "pi", id: "spark-1" },
    reportIntervalMs: () => 1000,
    traits: { strayBraceInWaitingLine: false, watchNamesPodFirst: false },
    behaviors: behaviorsOf({}),
  };
  const end = (more: Partial<Parameters<typeof watchDriver>[0]> = {}) =>
    clock.settle(watchDriver({ ...call, ...more }));
  const heads = () => logged.map((text) => text.split("\n")[0]);
  return { abort, call, clock, end, heads, host, logged, requests };
}

/** Yields nothing for a while, then breaks. */
async function* lateReset(clock: TestClock, ms: number): AsyncGenerator<Uint8Array> {
  await clock.sleep(ms);
  yield* chunks(socketError("ECONNRESET"));
}

const stateChanged = "State changed, new state: ";
const about = "with application ID spark-1 and submission ID ns:drv";

describe("waiting for a driver", () => {
  test("logs each state, the phase and the end as Spark does", async () => {
    const { end, heads, logged, requests } = waiting([
      watch(["MODIFIED", running], ["BOOKMARK", {}], ["MODIFIED", succeeded]),
    ]);
    expect(await end()).toEqual({ kind: "succeeded", pod: succeeded });
    expect(heads()).toEqual([
      stateChanged,
      `Waiting for application pi ${about} to finish...`,
      stateChanged,
      stateChanged,
      "Application status for spark-1 (phase: Succeeded)",
      "Container final statuses:",
      `Application pi ${about} finished`,
    ]);
    expect(logged[0]).toContain("\n\t phase: Pending\n\t container status: N/A");
    expect(requests[0]?.path).toBe(
      "/api/v1/namespaces/ns/pods?allowWatchBookmarks=true&fieldSelector=metadata.name%3Ddrv&resourceVersion=1&timeoutSeconds=300&watch=true",
    );
  });

  test("logs the phase after each interval", async () => {
    const { abort, call, clock, heads } = waiting(["silence"]);
    const ended = watchDriver(call);
    await clock.advance(3500);
    abort.abort();
    expect(await ended).toEqual({ kind: "unknown", pod: created });
    expect(heads().filter((text) => text?.startsWith("Application status"))).toHaveLength(4);
    expect(heads().at(-1)).not.toContain("finished");
  });

  test("logs no blocks about the pod's state if they are disabled", async () => {
    const { end, heads } = waiting([watch(["MODIFIED", running], ["MODIFIED", succeeded])]);
    await end({ reportsPhase: false, reportsPodState: false });
    expect(heads()).toEqual([`Waiting for application pi ${about} to finish...`, `Application pi ${about} finished`]);
  });

  test("logs a stray brace for Spark versions that have it", async () => {
    const { end, heads } = waiting([watch(["MODIFIED", succeeded])]);
    await end({ traits: { strayBraceInWaitingLine: true, watchNamesPodFirst: false } });
    expect(heads()[1]).toBe(`Waiting for application pi} ${about} to finish...`);
  });

  test("reads the interval after the first state, and sends no request if it is invalid", async () => {
    const { end, heads, requests } = waiting([]);
    const reportIntervalMs = () => {
      throw new RangeError("bad interval");
    };
    await expect(end({ reportIntervalMs })).rejects.toThrow("bad interval");
    expect(heads()).toHaveLength(2);
    expect(requests).toEqual([]);
  });
});

describe("a driver's end", () => {
  test("is logged after its complete log", async () => {
    const { end, host } = waiting([watch(["MODIFIED", running], ["MODIFIED", succeeded])]);
    let written = "";
    const log: Log = (_, __, text) => {
      if (text.endsWith("finished")) written = host.outText();
    };
    await end({ stdout: host.stdout, log });
    expect(written).toBe("Pi is roughly 3.14\n");
  });

  test("has its container's exit code and reason, or its pod's reason", async () => {
    expect(await waiting([watch(["MODIFIED", failed])]).end()).toMatchObject({
      kind: "failed",
      exitCode: 137,
      reason: "OOMKilled",
    });
    const evicted: Pod = {
      ...created,
      status: { phase: "Failed", reason: "Evicted", message: "low on memory" },
    };
    expect(await waiting([watch(["MODIFIED", evicted])]).end()).toMatchObject({
      kind: "failed",
      exitCode: undefined,
      reason: "Evicted",
      message: "low on memory",
    });
  });

  test("is a deletion if Kubernetes stopped the container for it, otherwise a failure", async () => {
    const ending = (exitCode: number): Pod => {
      const ended = pod(9, "Failed", terminated(exitCode, "Error"));
      return { ...ended, metadata: { ...ended.metadata, deletionTimestamp: "2026-01-01T00:00:09Z" } };
    };
    for (const [exitCode, kind] of [
      [143, "deleted"],
      [137, "deleted"],
      [3, "failed"],
    ] as const) {
      expect((await waiting([watch(["MODIFIED", ending(exitCode)])]).end()).kind).toBe(kind);
    }
    expect((await waiting([watch(["MODIFIED", failed])]).end()).kind).toBe("failed");
  });

  test("is found when the pod is deleted, with or without a watch event", async () => {
    const watched = waiting([watch(["MODIFIED", running], ["DELETED", running])]);
    expect(await watched.end()).toEqual({ kind: "deleted", pod: running });
    expect(watched.heads().slice(-3)).toEqual([
      "Application status for spark-1 (phase: Running)",
      "Container final statuses:",
      `Application pi ${about} finished`,
    ]);
    const missing = waiting([watch(["MODIFIED", running])], [refused(404, "gone")]);
    expect(await missing.end()).toEqual({ kind: "deleted", pod: running });
    const another = waiting([watch()], [{ status: 200, body: pod(20, "Running", {}, "other") }]);
    expect((await another.end()).kind).toBe("deleted");
  });
});

describe("a watch that", () => {
  const expired = { kind: "Status", code: 410, message: "too old resource version" };
  test.each<[string, Response]>([
    ["ends", watch()],
    ["is too old, in the stream,", watch(["ERROR", expired])],
    ["is too old, as a response,", refused(410, "too old")],
    ["fails in the stream", watch(["ERROR", { kind: "Status", code: 500 }])],
    ["is rejected with 503", refused(503, "busy")],
    ["is rejected with 401", refused(401, "Unauthorized")],
    ["breaks", watch(["MODIFIED", running], socketError("ECONNRESET"))],
    ["sends garbage", { status: 200, stream: chunks("<html>\n") }],
    ["cannot be opened", socketError("ECONNREFUSED")],
    ["sends nothing", "silence"],
    ["sends another pod", watch(["ADDED", pod(7, "Failed", {}, "other")])],
  ])("%s does not hide the end", async (_, broken) => {
    const { end, logged } = waiting([broken, watch(["MODIFIED", succeeded])]);
    expect((await end()).kind).toBe("succeeded");
    const states = logged.filter((text) => text.startsWith(stateChanged));
    expect(new Set(states).size).toBe(states.length);
  });

  test("ends repeatedly is restarted with growing delays", async () => {
    const { abort, call, clock, requests } = waiting([watch()]);
    const ended = watchDriver(call);
    await clock.advance(60_000);
    abort.abort();
    await ended;
    expect(requests.filter(({ path }) => path.includes("watch")).length).toBeLessThan(18);
  });

  test("sends nothing is replaced, and the driver's end is found", async () => {
    const { clock, end } = waiting(["silence"], [{ status: 200, body: succeeded }]);
    expect((await end()).kind).toBe("succeeded");
    expect(clock.monotonic()).toBeLessThan(120_000);
  });

  test("broke in an outage of an hour reports the end within 8 s and at most one failure a minute", async () => {
    const away = socketError("ECONNREFUSED");
    let isBack = false;
    const { call, clock, host, logged } = waiting([]);
    const client = kubeClient({
      ...{ server: "https://api", clock, log: () => {}, requestTimeoutMs: 10_000 },
      transport: async () => {
        if (!isBack) throw away;
        return { status: 200, headers: {}, body: chunks(JSON.stringify(succeeded)) };
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
    const { call, clock, abort, requests } = waiting([]);
    const client = kubeClient({
      ...{ server: "https://api", clock, log: () => {}, requestTimeoutMs: 0 },
      transport: async (request) => {
        requests.push(request);
        const isWatch = request.path.includes("watch=");
        const broken = lateReset(clock, 30_000);
        return { status: 200, headers: {}, body: isWatch ? broken : chunks(JSON.stringify(running)) };
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
    const { end } = waiting([watch(["MODIFIED", running])], [socketError("ECONNRESET"), { status: 200, body: failed }]);
    expect((await end()).kind).toBe("failed");
  });

  test("is denied is replaced by polling, which is logged once", async () => {
    const reads: readonly Response[] = [{ status: 200, body: running }, socketError("ECONNRESET")];
    const { end, logged, requests } = waiting(
      [refused(403, "no watch")],
      [...reads, ...reads, { status: 200, body: failed }],
    );
    expect((await end()).kind).toBe("failed");
    expect(logged.filter((text) => text.includes("no watch"))).toHaveLength(1);
    expect(requests.filter(({ path }) => path.includes("watch="))).toHaveLength(1);
  });

  test("is denied ends the wait if reading the pod is denied, too, or with Spark's behavior", async () => {
    const blind = waiting([refused(403, "no watch")], [refused(403, "no get")]);
    await expect(blind.end()).rejects.toThrow("no get");
    expect(blind.logged.join("\n")).toContain("Check its state: kubectl get pod -n ns drv");
    const asSpark = waiting([refused(403, "no watch")]);
    await expect(asSpark.end({ behaviors: spark })).rejects.toThrow(
      /^Received 403 on websocket. Failure executing: GET at: .*\/api\/v1\/namespaces\/ns\/pods\?allowWatchBookmarks=true&fieldSelector=metadata.name%3Ddrv&watch=true. Message: Forbidden.$/,
    );
    expect(asSpark.requests).toHaveLength(1);
    const traits = { strayBraceInWaitingLine: false, watchNamesPodFirst: true };
    await expect(waiting([refused(403, "no")]).end({ behaviors: spark, traits })).rejects.toThrow(
      "?fieldSelector=metadata.name%3Ddrv&allowWatchBookmarks=true&watch=true. Message: Forbidden.",
    );
  });

  test.each([
    [400, "SUBMIT_ERR_KUBE_WATCH", 1],
    [410, "SUBMIT_ERR_KUBE_WATCH", 1],
    [405, "SUBMIT_ERR_KUBE_REJECTED", 1],
    [401, "SUBMIT_ERR_KUBE_WATCH", 1],
  ])("is always rejected with %i ends the wait with %s", async (status, code, attempts) => {
    const { end, requests } = waiting([refused(status, "no")], [refused(status, "no")]);
    const error: unknown = await end({ behaviors: spark }).catch((reason: unknown) => reason);
    expect(isSubmitError(error) && error.code).toBe(code);
    expect(requests).toHaveLength(attempts);
  });

  test("is rejected with 401 is retried for two minutes, so that credentials can be renewed", async () => {
    const rejections = Array.from({ length: 12 }, () => refused(401, "expired"));
    const renewed = waiting([refused(401, "expired")], [...rejections, { status: 200, body: succeeded }]);
    expect((await renewed.end()).kind).toBe("succeeded");
    const { clock, end } = waiting([refused(401, "no")], [refused(401, "no")]);
    const error: unknown = await end().catch((reason: unknown) => reason);
    expect(isSubmitError(error) && error.code).toBe("SUBMIT_ERR_KUBE_UNAUTHORIZED");
    expect(clock.monotonic()).toBeGreaterThan(120_000);
  });
});
