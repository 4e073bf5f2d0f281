import { expect, test } from "vitest";
import { submitError } from "../../../errors/submit-error.ts";
import type { Pod } from "../../../kube/types.ts";
import type { WatchEvent } from "../../../kube/watch-event.ts";
import { initialPodWatch, nextPodWatch, type PodWatchEvent, type PodWatchState } from "./pod-watch.ts";

const behaviors = { watchRetries: "untilDeadline", watchPermission: "poll" } as const;

function pod(version: number, uid = "u"): Pod {
  return { metadata: { name: "drv", uid, resourceVersion: String(version) } };
}

const initial = initialPodWatch(pod(1));

function watched(type: "MODIFIED" | "DELETED" | "BOOKMARK", object: Pod): PodWatchEvent {
  const event: WatchEvent<Pod> = { type, object };
  return { kind: "watched", event };
}

function kinds(event: PodWatchEvent, state: PodWatchState = initial): readonly string[] {
  return nextPodWatch(state, event, behaviors).effects.map(({ kind }) => kind);
}

test("a read pod is reported only if its resource version differs", () => {
  expect(kinds({ kind: "read", pod: pod(1) })).toEqual(["logRecovery"]);
  const { state, effects } = nextPodWatch(initial, { kind: "read", pod: pod(2) }, behaviors);
  expect(effects[1]).toEqual({ kind: "report", change: { pod: pod(2), isDeleted: false } });
  expect(state.pod).toEqual(pod(2));
});

test("a missing pod is reported as deleted, with its last known state", () => {
  const { effects } = nextPodWatch(initial, { kind: "read", pod: undefined }, behaviors);
  expect(effects[1]).toEqual({ kind: "report", change: { pod: pod(1), isDeleted: true } });
});

test("watch events report changes of the pod and end the watch for another pod", () => {
  expect(kinds(watched("BOOKMARK", {}))).toEqual(["logRecovery"]);
  expect(kinds(watched("MODIFIED", pod(3)))).toEqual(["logRecovery", "report"]);
  expect(nextPodWatch(initial, watched("DELETED", pod(4)), behaviors).effects[1]).toMatchObject({
    change: { isDeleted: true },
  });
  expect(kinds(watched("MODIFIED", pod(5, "other")))).toEqual(["logRecovery", "endWatch"]);
});

test("401 responses are retried until five attempts and two minutes have passed", () => {
  const error = submitError("SUBMIT_ERR_KUBE_UNAUTHORIZED", {
    ...{ method: "GET", url: "https://api/pods", server: "https://api", message: "expired" },
  });
  let state = initial;
  const effects = [0, 30_000, 60_000, 90_000, 120_000, 120_001].map((nowMs) => {
    const next = nextPodWatch(state, { kind: "failed", error, nowMs }, behaviors);
    state = next.state;
    return next.effects[0]?.kind;
  });
  expect(effects).toEqual([...Array.from({ length: 5 }, () => "logRetry"), "fail"]);
  const recovered = nextPodWatch(state, { kind: "read", pod: pod(1) }, behaviors).state;
  expect(recovered.unauthorized.attempts).toBe(0);
});

test("malformed responses are retried for two minutes, and from the start after a successful request", () => {
  const error = submitError("SUBMIT_ERR_KUBE_RESPONSE", { method: "GET", url: "https://api/pods", reason: "x" });
  const failed = (state: typeof initial, nowMs: number) =>
    nextPodWatch(state, { kind: "failed", error, nowMs }, behaviors);
  const first = failed(initial, 0);
  const second = failed(first.state, 120_000);
  expect([first, second].map(({ effects }) => effects[0]?.kind)).toEqual(["logRetry", "logRetry"]);
  expect(failed(second.state, 120_001).effects).toEqual([{ kind: "fail", error }]);
  const read = nextPodWatch(second.state, { kind: "read", pod: pod(1) }, behaviors);
  expect(failed(read.state, 120_001).effects[0]?.kind).toBe("logRetry");
});

test("errors that are not from the API end the watch", () => {
  expect(kinds({ kind: "failed", error: new TypeError("x"), nowMs: 0 })).toEqual(["fail"]);
});
