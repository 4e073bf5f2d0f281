import { expect, test } from "vitest";
import { testHost } from "../host/test-host.ts";
import type { Pod } from "../kube/types.ts";
import { kubeClient } from "../kube-client/client.ts";
import { chunks, refused, socketError, type TestAnswer, testApi } from "../kube-client/test-api.ts";
import { followDriverLog } from "./driver-log.ts";
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

function following(answers: readonly TestAnswer[], first = running) {
  const host = testHost();
  const api = testApi((_, number) => answers[number - 1] ?? log());
  const latest = latestPod(first);
  const logged: string[] = [];
  const abort = new AbortController();
  const { clock, random, stdout } = host;
  const say = (_: string, __: string, text: string) => logged.push(text);
  const client = kubeClient({
    ...{ transport: api.transport, clock, server: "https://api", requestTimeoutMs: 10_000 },
    log: () => {},
  });
  const done = followDriverLog({
    client,
    clock,
    random,
    log: say,
    container,
    latest,
    stdout,
    signal: abort.signal,
  });
  return { abort, api, clock, done, host, latest, logged };
}

test("a log is written as it comes, without its times, and read whole once its container is over", async () => {
  const { api, clock, done, host, latest } = following([
    log("2026-01-01T00:00:01.1Z one\n2026-01-01T00:00:01.2Z t", "wo\n2026-01-01T00:00:02.1Z ha"),
    log("2026-01-01T00:00:01.1Z one\n2026-01-01T00:00:01.2Z two\n2026-01-01T00:00:02.1Z half a line"),
  ]);
  await clock.advance(0);
  expect(host.outText()).toBe("one\ntwo\n");
  latest.set(over);
  await clock.settle(done);
  expect(host.outText()).toBe("one\ntwo\nhalf a line");
  expect(api.requests.map(({ path }) => path.split("?")[1])).toEqual([
    "container=main&follow=true&timestamps=true",
    "container=main&follow=true&sinceTime=2026-01-01T00%3A00%3A00Z&timestamps=true",
  ]);
});

test("a log that breaks is taken up where it broke", async () => {
  const { clock, done, host, latest } = following([
    log("2026-01-01T00:00:01Z one\n2026-01-01T00:00:01Z one\n", reset),
    refused(500, "node away"),
    log("2026-01-01T00:00:01Z one\n2026-01-01T00:00:01Z one\n2026-01-01T00:00:01Z one\n", reset),
    log(
      "2026-01-01T00:00:01Z one\n2026-01-01T00:00:01Z one\n2026-01-01T00:00:01Z one\n2026-01-01T00:00:09Z end\n",
    ),
  ]);
  await clock.advance(10_000);
  latest.set(over);
  await clock.settle(done);
  expect(host.outText()).toBe("one\none\none\nend\n");
});

test("nothing is asked before the container has begun", async () => {
  const { api, clock, done, latest } = following([], waiting);
  await clock.advance(60_000);
  expect(api.requests).toEqual([]);
  latest.set(over);
  await clock.settle(done);
  expect(api.requests).toHaveLength(1);
});

test("a log that may not be read is told once, with what to ask for, and left alone", async () => {
  const { api, clock, done, logged } = following([refused(403, "no logs for you")]);
  await clock.settle(done);
  expect(api.requests).toHaveLength(1);
  expect(logged).toHaveLength(1);
  expect(logged[0]).toMatch(/no logs for you.*kubectl auth can-i get pods\/log -n ns/);
});

test("a pod that is gone, or a node that threw the log away, ends it", async () => {
  const gone = following([refused(404, "gone")]);
  await gone.clock.settle(gone.done);
  const thrownAway = following([refused(400, "container not found")], over);
  await thrownAway.clock.settle(thrownAway.done);
  expect(thrownAway.api.requests).toHaveLength(1);
});

test("the signal ends it at any time", async () => {
  const early = following([], waiting);
  early.abort.abort();
  await early.done;
  const later = following([refused(400, "still creating")]);
  await later.clock.advance(100);
  later.abort.abort();
  await later.done;
  expect(later.api.requests).toHaveLength(1);
});
