import { describe, expect, test } from "vitest";
import type { Pod } from "../../kube/types.ts";
import type { NamespaceView } from "../context/owners.ts";
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

describe("a bundle whose owner exists", () => {
  test.each(["Pending", "Running", "Unknown"])(
    "is kept for a full lease and forgets earlier absence when the owner is %s",
    (phase) => {
      const absent = { absentSinceMs: 1, namespaceGoneSinceMs: 2, endedAtMs: 3, usedAtMs: 4 };
      expect(evaluate(bundle(absent), pods(pod(phase)))).toEqual({
        kind: "keep",
        history: { seenAtMs: now, usedAtMs: 4 },
        leaseUntilMs: now + times.leaseMs,
      });
    },
  );

  test("keeps a longer lease", () => {
    expect(evaluate(bundle({}, now + 90 * minute), pods(pod("Running")))).toMatchObject({
      leaseUntilMs: now + 90 * minute,
    });
  });

  test("is kept while one of several owners runs", () => {
    expect(evaluate(bundle(), pods(pod("Failed", 1), pod("Running")))).toMatchObject({ kind: "keep" });
  });
});

describe("a bundle whose owners have all ended", () => {
  const ended = (at: number | undefined, history = {}, lease?: number) =>
    evaluate(bundle(history, lease), pods(pod("Succeeded", at), pod("Failed", 1)));

  test("is removed when the retention time has passed since the last end", () => {
    const at = now - 59 * minute;
    const history = { seenAtMs: now, endedAtMs: at };
    expect(ended(at)).toEqual({ kind: "keep", history, leaseUntilMs: now + minute });
    expect(ended(now - 60 * minute)).toEqual({ kind: "remove", reason: "ownersEnded" });
  });

  test("takes a missing or future end time as now", () => {
    const started = evaluate(bundle(), pods(pod("Failed")));
    expect(started).toMatchObject({ history: { endedAtMs: now }, leaseUntilMs: now + times.retentionMs });
    expect(ended(now + minute)).toMatchObject({ history: { endedAtMs: now } });
  });

  test("is kept when a client renews it after the end", () => {
    const history = { seenAtMs: 1, endedAtMs: now - 70 * minute };
    expect(ended(history.endedAtMs, history, now + minute)).toMatchObject({ kind: "keep" });
    expect(ended(history.endedAtMs, history, now)).toMatchObject({ kind: "remove" });
  });
});

describe("a bundle without an owner", () => {
  const none = pods(pod("Running", undefined, { app: "b", "spark-role": "driver" }));

  test("expires at its lease when no owner was ever seen", () => {
    expect(evaluate(bundle({}, now + 1), none)).toMatchObject({ kind: "keep" });
    expect(evaluate(bundle({}, now), none)).toEqual({ kind: "remove", reason: "neverOwned" });
  });

  test("is removed when a known owner is missing in two views, far enough apart", () => {
    const seen = { seenAtMs: 1 };
    expect(evaluate(bundle(seen, 1), none)).toMatchObject({ kind: "keep", history: { absentSinceMs: now } });
    const absent = bundle({ ...seen, absentSinceMs: now });
    expect(evaluate(absent, none, now + 29_999)).toMatchObject({ kind: "keep", history: absent.history });
    expect(evaluate(absent, none, now + 30_000)).toEqual({ kind: "remove", reason: "ownersGone" });
  });

  test("forgets that its namespace did not exist", () => {
    const decision = evaluate(bundle({ namespaceGoneSinceMs: 1 }), none);
    expect(decision).toMatchObject({ kind: "keep", history: {} });
    expect(decision).not.toMatchObject({ history: { namespaceGoneSinceMs: 1 } });
  });
});

test("a bundle is removed when its namespace is missing in two views", () => {
  const first = evaluate(bundle({}, 0), { kind: "gone" });
  expect(first).toMatchObject({ kind: "keep", history: { namespaceGoneSinceMs: now } });
  const absent = bundle({ namespaceGoneSinceMs: now });
  expect(evaluate(absent, { kind: "gone" }, now + 29_999)).toMatchObject({ kind: "keep" });
  expect(evaluate(absent, { kind: "gone" }, now + 30_000)).toEqual({
    kind: "remove",
    reason: "namespaceGone",
  });
});

test("a bundle is unchanged when its owners are unknown, even after its lease", () => {
  const old = bundle({ seenAtMs: 1, absentSinceMs: 2, namespaceGoneSinceMs: 3 }, 0);
  const view = { kind: "unknown", reason: "403" } as const;
  expect(evaluate(old, view)).toEqual({ kind: "keep", history: old.history, leaseUntilMs: 0 });
});

test("without a watch on owners, a bundle expires at its lease, and a download extends it", () => {
  const view = { kind: "unwatched" } as const;
  expect(evaluate(bundle({}, now), view)).toEqual({ kind: "remove", reason: "expired" });
  expect(evaluate(bundle({ usedAtMs: now - 29 * minute }, 0), view)).toMatchObject({ kind: "keep" });
});
