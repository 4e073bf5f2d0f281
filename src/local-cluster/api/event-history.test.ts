import { describe, expect, test } from "vitest";
import { createEventHistory } from "./event-history.ts";
import type { StoreEvent } from "./store.ts";

function eventAt(revision: number): StoreEvent {
  const metadata = { name: "a", uid: "u", resourceVersion: String(revision) };
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata };
  return { type: "MODIFIED", collection: "configmaps", object, previous: object, revision };
}

function historyOf(...revisions: number[]) {
  const history = createEventHistory();
  for (const revision of revisions) history.add(eventAt(revision));
  return {
    ...history,
    revisionsSince: (start: number) => history.since(start)?.map(({ revision }) => revision),
  };
}

describe("the event history", () => {
  test("returns the events after a revision, which need not have an event", () => {
    const { revisionsSince } = historyOf(3, 5, 9);
    expect(revisionsSince(0)).toEqual([3, 5, 9]);
    expect(revisionsSince(5)).toEqual([9]);
    expect(revisionsSince(6)).toEqual([9]);
    expect(revisionsSince(9)).toEqual([]);
  });

  test("returns undefined for revisions before a forgotten one", () => {
    const { forget, revisionsSince } = historyOf(7);
    forget(4);
    expect(revisionsSince(3)).toBeUndefined();
    expect(revisionsSince(4)).toEqual([7]);
  });

  test("returns undefined inside a gap of revisions that were never assigned", () => {
    const { skip, revisionsSince } = historyOf(2);
    skip(2, 100);
    expect(revisionsSince(2)).toEqual([]);
    expect(revisionsSince(50)).toBeUndefined();
    expect(revisionsSince(100)).toEqual([]);
  });

  test("forgets the oldest events when their objects are large", () => {
    const history = createEventHistory({ maxEvents: 100, maxCharacters: 10_000 });
    const add = (revision: number, text: string) =>
      history.add({ ...eventAt(revision), object: { ...eventAt(revision).object, text } });
    for (let revision = 1; revision <= 20; revision += 1) add(revision, "x".repeat(1_000));
    expect([history.since(11), history.since(12)?.length]).toEqual([undefined, 8]);
    add(21, "x".repeat(100_000));
    expect([history.since(19), history.since(20)]).toEqual([undefined, [expect.objectContaining({ revision: 21 })]]);
    add(22, "");
    expect(history.since(21)).toHaveLength(1);
  });

  test("forgets the oldest batch when it is full", () => {
    const { revisionsSince } = historyOf(...Array.from({ length: 6_000 }, (_, index) => index + 1));
    expect(revisionsSince(999)).toBeUndefined();
    expect(revisionsSince(1_000)).toHaveLength(5_000);
  });
});
