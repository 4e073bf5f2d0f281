import { describe, expect, test } from "vitest";
import type { TestClock } from "../../../host/test-clock.ts";
import { testHost } from "../../../host/test-host.ts";
import type { Pod } from "../../../kube/types.ts";
import { kubeClient } from "../../../kube-client/client.ts";
import {
  chunks,
  type Fault,
  refused,
  silence,
  socketError,
  type TestAnswer,
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
const over = pod({ terminated: { exitCode: 0 } }, "Succeeded");

/** One answer to a question for the log; after the last one the API has nothing. */
function log(...parts: readonly (string | Error)[]): TestAnswer {
  return { status: 200, stream: chunks(...parts) };
}

function following(answers: readonly (TestAnswer | Fault)[], first = running, host = testHost()) {
  const api = testApi((request, number) => {
    const answer = answers[number - 1] ?? log();
    return typeof answer === "function" ? answer(request, number) : answer;
  });
  const latest = latestPod(first);
  const logged: string[] = [];
  const abort = new AbortController();
  const { clock, random, stdout } = host;
  const say = (_: string, __: string, text: string) => logged.push(text);
  const client = kubeClient({
    ...{ transport: api.transport, clock, server: "https://api", requestTimeoutMs: 10_000 },
    log: () => {},
  });
  const { drain } = followDriverLog({
    ...{ client, clock, random, container, latest, stdout },
    log: say,
    signal: abort.signal,
  });
  return { abort, api, clock, host, latest, logged, drain };
}

test("a driver that never ran has no log, and nothing is missing", async () => {
  const never = pod({ waiting: { reason: "PodInitializing" } }, "Failed");
  const { api, host, logged, drain } = following([refused(400, "waiting to start: PodInitializing")], never);
  await host.settle(drain());
  expect(logged).toEqual([]);
  expect(api.asked).toEqual([]);
});

test("a log is written as it comes, without its times, and read whole once its container is over", async () => {
  const { api, clock, host, latest, drain } = following([
    log("2026-01-01T00:00:01.1Z one\n2026-01-01T00:00:01.2Z t", "wo\n2026-01-01T00:00:02.1Z ha"),
    log("2026-01-01T00:00:01.1Z one\n2026-01-01T00:00:01.2Z two\n2026-01-01T00:00:02.1Z half a line"),
  ]);
  await clock.advance(0);
  expect(host.outText()).toBe("one\ntwo\n");
  latest.set(over);
  await clock.settle(drain());
  expect(host.outText()).toBe("one\ntwo\nhalf a line");
  expect(api.requests.map(({ path }) => path.split("?")[1])).toEqual([
    "container=main&follow=true&timestamps=true",
    "container=main&follow=true&sinceTime=2026-01-01T00%3A00%3A00Z&timestamps=true",
  ]);
});

test("a log that breaks is taken up where it broke", async () => {
  const { clock, host, latest, drain } = following([
    log("2026-01-01T00:00:01Z one\n2026-01-01T00:00:01Z one\n", reset),
    refused(500, "node away"),
    log("2026-01-01T00:00:01Z one\n2026-01-01T00:00:01Z one\n2026-01-01T00:00:01Z one\n", reset),
    log(
      "2026-01-01T00:00:01Z one\n2026-01-01T00:00:01Z one\n2026-01-01T00:00:01Z one\n2026-01-01T00:00:09Z end\n",
    ),
  ]);
  await clock.advance(10_000);
  latest.set(over);
  await clock.settle(drain());
  expect(host.outText()).toBe("one\none\none\nend\n");
});

test("nothing is asked before the container has begun", async () => {
  const { api, clock, latest, drain } = following([], waiting);
  await clock.advance(60_000);
  expect(api.requests).toEqual([]);
  latest.set(over);
  await clock.settle(drain());
  expect(api.requests).toHaveLength(1);
});

describe("the rest of a log", () => {
  /** The lines from one number to another, one for each second, with a pause before each; then its end. */
  function counting(clock: TestClock) {
    return (from: number, to: number, { pauseMs = 0, end = "" } = {}): Fault =>
      ({ signal }) => {
        async function* stream(): AsyncGenerator<Uint8Array> {
          for (let second = from; second <= to; second += 1) {
            await clock.sleep(pauseMs);
            if (signal?.aborted === true) throw reset;
            yield Buffer.from(`${new Date(second * 1000).toISOString()} ${second}\n`);
          }
          if (end === "reset") throw reset;
          if (end === "silence") yield* silence(signal);
        }
        return { status: 200, stream: stream() };
      };
  }
  const numbers = (to: number) => Array.from({ length: to + 1 }, (_, index) => `${index}\n`).join("");

  test("is waited for as long as some of it comes", async () => {
    const host = testHost();
    const count = counting(host.clock);
    const { clock, logged, drain } = following([count(0, 20, { pauseMs: 9000 })], running, host);
    await clock.settle(drain());
    expect(host.outText()).toBe(numbers(20));
    expect(logged).toEqual([]);
  });

  test("is taken up as often as it breaks and without long pauses, if only something new comes", async () => {
    const host = testHost();
    const count = counting(host.clock);
    const pieces = Array.from({ length: 60 }, (_, last) =>
      count(Math.max(0, last - 1), last, { end: "reset" }),
    );
    const { clock, logged, drain } = following([...pieces, count(58, 60)], over, host);
    await clock.settle(drain());
    expect(host.outText()).toBe(numbers(60));
    expect(logged).toEqual([]);
    expect(clock.monotonic()).toBeLessThan(70_000);
  });

  test("is asked for again when it pauses, and given up with a warning when nothing new comes", async () => {
    const host = testHost();
    const count = counting(host.clock);
    const again = Array.from({ length: 9 }, () => count(0, 1, { end: "silence" }));
    const { api, clock, logged, drain } = following(
      [count(0, 0, { end: "silence" }), ...again],
      running,
      host,
    );
    await clock.settle(drain());
    expect(host.outText()).toBe(numbers(1));
    expect(logged).toHaveLength(1);
    expect(logged[0]).toMatch(/log is incomplete: .*nothing more of the log came/);
    expect(api.requests.length).toBeLessThan(8);
  });

  test("is given up when the API stays away", async () => {
    const { clock, logged, drain } = following(
      Array.from({ length: 99 }, () => () => {
        throw reset;
      }),
    );
    await clock.settle(drain());
    expect(logged).toHaveLength(1);
    expect(logged[0]).toMatch(/log is incomplete: .*connection reset/);
  });

  test("of a driver that was deleted before it began is nothing", async () => {
    const { api, drain } = following([], waiting);
    await drain();
    expect(api.requests).toEqual([]);
  });
});

test("a log that may not be read is told once, with what to ask for, and left alone", async () => {
  const { api, clock, logged, drain } = following([refused(403, "no logs for you")]);
  await clock.settle(drain());
  expect(api.requests).toHaveLength(1);
  expect(logged).toHaveLength(1);
  expect(logged[0]).toMatch(/no logs for you.*kubectl auth can-i get pods\/log -n ns/);
});

test.each([
  ["a pod that is gone", refused(404, "gone")],
  ["a node that threw the log away", refused(400, "container not found")],
])("%s ends it, and it is told unless all was read before", async (_, answer) => {
  const never = following([answer], over);
  await never.clock.settle(never.drain());
  expect(never.logged).toHaveLength(1);
  expect(never.logged[0]).toMatch(/log is incomplete/);
  const before = following([log("2026-01-01T00:00:01Z one\n"), answer]);
  await before.clock.advance(0);
  await before.clock.settle(before.drain());
  expect(before.host.outText()).toBe("one\n");
  expect(before.logged).toEqual([]);
});

test("the signal ends it at any time", async () => {
  const early = following([], waiting);
  early.abort.abort();
  await early.drain();
  const later = following([refused(400, "still creating")]);
  await later.clock.advance(100);
  later.abort.abort();
  await later.drain();
  expect(later.api.requests).toHaveLength(1);
});
