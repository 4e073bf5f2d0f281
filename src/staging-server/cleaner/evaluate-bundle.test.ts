import { describe, expect, test } from "vitest";
import type { Pod } from "../../kube/types.ts";
import type { NamespaceView } from "../owners.ts";
import type { BundleRecord, OwnerHistory } from "../store/bundle-record.ts";
import { evaluateBundle } from "./evaluate-bundle.ts";

const minute = 60_000;
const times = {
  ...{ initialExpiryMs: 30 * minute, leaseMs: 30 * minute, retentionMs: 60 * minute, absenceMs: 30_000 },
  ...{ cleanEveryMs: 30_000, graceMs: 60 * minute, uploadIdleMs: 60 * minute, bodyIdleMs: minute },
  ...{ tokenMs: 7 * 24 * 60 * minute, drainMs: 30_000 },
};
const now = Date.UTC(2026, 0, 1);

function bundle(history: OwnerHistory = {}, leaseUntilMs = now + 10 * minute): BundleRecord {
  return {
    bundleId: "b",
    owner: { namespace: "team", labels: { app: "a", "spark-role": "driver" }, type: "Pod" },
    entries: [],
    createdAtMs: now - minute,
    ...{ leaseUntilMs, history },
  };
}

function pod(phase: string, finishedAt?: number, labels = { app: "a", "spark-role": "driver" }): Pod {
  const at = finishedAt === undefined ? undefined : new Date(finishedAt).toISOString();
  const terminated = at === undefined ? {} : { state: { terminated: { exitCode: 0, finishedAt: at } } };
  const container = { name: "c", ready: false, restartCount: 0, image: "i", imageID: "", ...terminated };
  return { metadata: { labels }, status: { phase, containerStatuses: [container] } };
}

const evaluate = (record: BundleRecord, view: NamespaceView, nowMs = now) =>
  evaluateBundle(record, view, { nowMs, times });
const pods = (...found: Pod[]): NamespaceView => ({ kind: "pods", pods: found });

describe("an owner that is there", () => {
  test.each(["Pending", "Running", "Unknown"])(
    "%s: it stays for a whole lease, and what was missed is forgotten",
    (phase) => {
      const missed = { absentSinceMs: 1, namespaceGoneSinceMs: 2, endedAtMs: 3, usedAtMs: 4 };
      expect(evaluate(bundle(missed), pods(pod(phase)))).toEqual({
        kind: "keep",
        history: { seenAtMs: now, usedAtMs: 4 },
        leaseUntilMs: now + times.leaseMs,
      });
    },
  );

  test("a longer lease is not made shorter", () => {
    expect(evaluate(bundle({}, now + 90 * minute), pods(pod("Running")))).toMatchObject({
      leaseUntilMs: now + 90 * minute,
    });
  });

  test("one of several that still runs is enough", () => {
    expect(evaluate(bundle(), pods(pod("Failed", 1), pod("Running")))).toMatchObject({ kind: "keep" });
  });
});

describe("owners that have all ended", () => {
  const ended = (at: number | undefined, history = {}, lease?: number) =>
    evaluate(bundle(history, lease), pods(pod("Succeeded", at), pod("Failed", 1)));

  test("the retention counts from the last end", () => {
    const at = now - 59 * minute;
    const history = { seenAtMs: now, endedAtMs: at };
    expect(ended(at)).toEqual({ kind: "keep", history, leaseUntilMs: now + minute });
    expect(ended(now - 60 * minute)).toEqual({ kind: "remove", reason: "ownersEnded" });
  });

  test("an end without a time is now, and one in the future as well", () => {
    const started = evaluate(bundle(), pods(pod("Failed")));
    expect(started).toMatchObject({ history: { endedAtMs: now }, leaseUntilMs: now + times.retentionMs });
    expect(ended(now + minute)).toMatchObject({ history: { endedAtMs: now } });
  });

  test("whoever renews it afterwards is heard", () => {
    const history = { seenAtMs: 1, endedAtMs: now - 70 * minute };
    expect(ended(history.endedAtMs, history, now + minute)).toMatchObject({ kind: "keep" });
    expect(ended(history.endedAtMs, history, now)).toMatchObject({ kind: "remove" });
  });
});

describe("no owner", () => {
  const none = pods(pod("Running", undefined, { app: "b", "spark-role": "driver" }));

  test("never seen: it stays until its time is over", () => {
    expect(evaluate(bundle({}, now + 1), none)).toMatchObject({ kind: "keep" });
    expect(evaluate(bundle({}, now), none)).toEqual({ kind: "remove", reason: "neverOwned" });
  });

  test("seen before: two looks, far enough apart", () => {
    const seen = { seenAtMs: 1 };
    expect(evaluate(bundle(seen, 1), none)).toMatchObject({ kind: "keep", history: { absentSinceMs: now } });
    const missed = bundle({ ...seen, absentSinceMs: now });
    expect(evaluate(missed, none, now + 29_999)).toMatchObject({ kind: "keep", history: missed.history });
    expect(evaluate(missed, none, now + 30_000)).toEqual({ kind: "remove", reason: "ownersGone" });
  });

  test("a namespace that is there again is not one that is gone", () => {
    const decision = evaluate(bundle({ namespaceGoneSinceMs: 1 }), none);
    expect(decision).toMatchObject({ kind: "keep", history: {} });
    expect(decision).not.toMatchObject({ history: { namespaceGoneSinceMs: 1 } });
  });
});

test("a namespace must be gone twice", () => {
  const first = evaluate(bundle({}, 0), { kind: "gone" });
  expect(first).toMatchObject({ kind: "keep", history: { namespaceGoneSinceMs: now } });
  const missed = bundle({ namespaceGoneSinceMs: now });
  expect(evaluate(missed, { kind: "gone" }, now + 29_999)).toMatchObject({ kind: "keep" });
  expect(evaluate(missed, { kind: "gone" }, now + 30_000)).toEqual({
    kind: "remove",
    reason: "namespaceGone",
  });
});

test("in doubt nothing changes, however long it is over", () => {
  const old = bundle({ seenAtMs: 1, absentSinceMs: 2, namespaceGoneSinceMs: 3 }, 0);
  const view = { kind: "unknown", reason: "403" } as const;
  expect(evaluate(old, view)).toEqual({ kind: "keep", history: old.history, leaseUntilMs: 0 });
});

test("where nobody looks only time counts, and a download prolongs it", () => {
  const view = { kind: "unwatched" } as const;
  expect(evaluate(bundle({}, now), view)).toEqual({ kind: "remove", reason: "expired" });
  expect(evaluate(bundle({ usedAtMs: now - 29 * minute }, 0), view)).toMatchObject({ kind: "keep" });
});
