import { describe, expect, test } from "vitest";
import type { TestClock } from "../../../host/test-clock.ts";
import { testHost } from "../../../host/test-host.ts";
import type { Pod } from "../../../kube/types.ts";
import { kubeClient } from "../../../kube-client/client.ts";
import {
  chunks,
  type Fault,
  neverEndingStream,
  refused,
  socketError,
  type TestResponse,
  testApi,
} from "../../../kube-client/test-api.ts";
import { followDriverLog } from "./follow-driver-log.ts";
import { latestPod } from "./latest-pod.ts";

const container = "main";
const reset = socketError("ECONNRESET");

function pod(state: object, phase = "Running"): Pod {
  const status = { name: container, image: "img", imageID: "", ready: false, restartCount: 0, state };
  return { metadata: { name: "drv", namespace: "ns" }, status: { phase, containerStatuses: [status] } };
}

const waiting = pod({ waiting: {} }, "Pending");
const running = pod({ running: {} });
const ended = pod({ terminated: { exitCode: 0 } }, "Succeeded");

/** Creates a response with parts of a log. */
function log(...parts: readonly (string | Error)[]): TestResponse {
  return { status: 200, stream: chunks(...parts) };
}

function following(responses: readonly (TestResponse | Fault)[], first = running, host = testHost()) {
  const api = testApi((request, number) => {
    const response = responses[number - 1] ?? log();
    return typeof response === "function" ? response(request, number) : response;
  });
  const latest = latestPod(first);
  const logged: string[] = [];
  const abort = new AbortController();
  const { clock, random, stdout } = host;
  const logLine = (_: string, __: string, text: string) => logged.push(text);
  const client = kubeClient({
    ...{ transport: api.transport, clock, server: "https://api", requestTimeoutMs: 10_000 },
    log: () => {},
  });
  const { drain } = followDriverLog({
    ...{ client, clock, random, container, latest, stdout },
    log: logLine,
    signal: abort.signal,
  });
  return { abort, api, clock, host, latest, logged, drain };
}

test("a driver that never ran has no log and causes no warning", async () => {
  const never = pod({ waiting: { reason: "PodInitializing" } }, "Failed");
  const { api, host, logged, drain } = following([refused(400, "waiting to start: PodInitializing")], never);
  await host.settle(drain());
  expect(logged).toEqual([]);
  expect(api.requestLines).toEqual([]);
});

test("a log is written while it arrives, without timestamps, and completed after its container's end", async () => {
  const { api, clock, host, latest, drain } = following([
    log("2026-01-01T00:00:01.1Z one\n2026-01-01T00:00:01.2Z t", "wo\n2026-01-01T00:00:02.1Z ha"),
    log("2026-01-01T00:00:01.1Z one\n2026-01-01T00:00:01.2Z two\n2026-01-01T00:00:02.1Z half a line"),
  ]);
  await clock.advance(0);
  expect(host.outText()).toBe("one\ntwo\n");
  latest.set(ended);
  await clock.settle(drain());
  expect(host.outText()).toBe("one\ntwo\nhalf a line");
  expect(api.requests.map(({ path }) => path.split("?")[1])).toEqual([
    "container=main&follow=true&timestamps=true",
    "container=main&follow=true&sinceTime=2026-01-01T00%3A00%3A00Z&timestamps=true",
  ]);
});

test("a log continues at its position after a broken connection", async () => {
  const { clock, host, latest, drain } = following([
    log("2026-01-01T00:00:01Z one\n2026-01-01T00:00:01Z one\n", reset),
    refused(500, "node away"),
    log("2026-01-01T00:00:01Z one\n2026-01-01T00:00:01Z one\n2026-01-01T00:00:01Z one\n", reset),
    log("2026-01-01T00:00:01Z one\n2026-01-01T00:00:01Z one\n2026-01-01T00:00:01Z one\n2026-01-01T00:00:09Z end\n"),
  ]);
  await clock.advance(10_000);
  latest.set(ended);
  await clock.settle(drain());
  expect(host.outText()).toBe("one\none\none\nend\n");
});

test("no log is requested before the container has started", async () => {
  const { api, clock, latest, drain } = following([], waiting);
  await clock.advance(60_000);
  expect(api.requests).toEqual([]);
  latest.set(ended);
  await clock.settle(drain());
  expect(api.requests).toHaveLength(1);
});

describe("the rest of a log", () => {
  /** Creates logs with one numbered line per second, a delay before each line, and an optional fault at the end. */
  function counting(clock: TestClock) {
    return (from: number, to: number, { delayMs = 0, end = "" } = {}): Fault =>
      ({ signal }) => {
        async function* stream(): AsyncGenerator<Uint8Array> {
          for (let second = from; second <= to; second += 1) {
            await clock.sleep(delayMs);
            if (signal?.aborted === true) throw reset;
            yield Buffer.from(`${new Date(second * 1000).toISOString()} ${second}\n`);
          }
          if (end === "reset") throw reset;
          if (end === "silence") yield* neverEndingStream(signal);
        }
        return { status: 200, stream: stream() };
      };
  }
  const numbers = (to: number) => Array.from({ length: to + 1 }, (_, index) => `${index}\n`).join("");

  test("is awaited while more of it arrives", async () => {
    const host = testHost();
    const count = counting(host.clock);
    const { clock, logged, drain } = following([count(0, 20, { delayMs: 9000 })], running, host);
    await clock.settle(drain());
    expect(host.outText()).toBe(numbers(20));
    expect(logged).toEqual([]);
  });

  test("is resumed after each broken connection, without long delays while new lines arrive", async () => {
    const host = testHost();
    const count = counting(host.clock);
    const pieces = Array.from({ length: 60 }, (_, last) => count(Math.max(0, last - 1), last, { end: "reset" }));
    const { clock, logged, drain } = following([...pieces, count(58, 60)], ended, host);
    await clock.settle(drain());
    expect(host.outText()).toBe(numbers(60));
    expect(logged).toEqual([]);
    expect(clock.monotonic()).toBeLessThan(70_000);
  });

  test("is requested again after an idle timeout, and abandoned with a warning if no new line arrives", async () => {
    const host = testHost();
    const count = counting(host.clock);
    const repeated = Array.from({ length: 9 }, () => count(0, 1, { end: "silence" }));
    const { api, clock, logged, drain } = following([count(0, 0, { end: "silence" }), ...repeated], running, host);
    await clock.settle(drain());
    expect(host.outText()).toBe(numbers(1));
    expect(logged).toHaveLength(1);
    expect(logged[0]).toMatch(/log is incomplete: .*no more log data arrived/);
    expect(api.requests.length).toBeLessThan(8);
  });

  test("is abandoned with a warning if the API stays unreachable", async () => {
    const { clock, logged, drain } = following(
      Array.from({ length: 99 }, () => () => {
        throw reset;
      }),
    );
    await clock.settle(drain());
    expect(logged).toHaveLength(1);
    expect(logged[0]).toMatch(/log is incomplete: .*connection reset/);
  });

  test("is empty for a driver that was deleted before its start", async () => {
    const { api, drain } = following([], waiting);
    await drain();
    expect(api.requests).toEqual([]);
  });
});

test("a log without read permission causes one request and one warning with the needed permission", async () => {
  const { api, clock, logged, drain } = following([refused(403, "no logs for you")]);
  await clock.settle(drain());
  expect(api.requests).toHaveLength(1);
  expect(logged).toHaveLength(1);
  expect(logged[0]).toMatch(/no logs for you.*kubectl auth can-i get pods\/log -n ns/);
});

test.each([
  ["a deleted pod", refused(404, "gone")],
  ["a node that deleted the log", refused(400, "container not found")],
])("%s ends the log, with a warning unless it was read completely", async (_, response) => {
  const never = following([response], ended);
  await never.clock.settle(never.drain());
  expect(never.logged).toHaveLength(1);
  expect(never.logged[0]).toMatch(/log is incomplete/);
  const before = following([log("2026-01-01T00:00:01Z one\n"), response]);
  await before.clock.advance(0);
  await before.clock.settle(before.drain());
  expect(before.host.outText()).toBe("one\n");
  expect(before.logged).toEqual([]);
});

test("the signal stops the log at any time", async () => {
  const early = following([], waiting);
  early.abort.abort();
  await early.drain();
  const later = following([refused(400, "still creating")]);
  await later.clock.advance(100);
  later.abort.abort();
  await later.drain();
  expect(later.api.requests).toHaveLength(1);
});
