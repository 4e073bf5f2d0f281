import { expect, test } from "vitest";
import type { BundleRecord } from "../store/bundle-record.ts";
import { recordChanges } from "./record-changes.ts";

const record: BundleRecord = {
  bundleId: "b",
  owner: { namespace: "team", labels: { a: "b" }, type: "Pod" },
  entries: [],
  createdAtMs: 0,
  leaseUntilMs: 0,
  history: {},
};
const used = (usedAtMs: number) => (now: BundleRecord) => ({ ...now, history: { ...now.history, usedAtMs } });
const lease = (leaseUntilMs: number) => (now: BundleRecord) => ({ ...now, leaseUntilMs });

/** A store of one bundle that can be full. */
function openBundle() {
  const state = { stored: record, isFull: false };
  const changes = recordChanges({
    async change(_, change) {
      if (state.isFull) throw new Error("ENOSPC");
      state.stored = change(state.stored);
      return state.stored;
    },
  });
  return { state, changes };
}

test("changes that a full store rejects apply to the record and are written with the next one", async () => {
  const { state, changes } = openBundle();
  state.isFull = true;
  await expect(changes.change(record, "use", used(1))).rejects.toThrow("ENOSPC");
  await expect(changes.change(record, "use", used(2))).rejects.toThrow("ENOSPC");
  expect(changes.apply(record).history).toEqual({ usedAtMs: 2 });
  expect(state.stored).toEqual(record);
  state.isFull = false;
  await changes.change(record, "decision", lease(5));
  expect(state.stored).toMatchObject({ leaseUntilMs: 5, history: { usedAtMs: 2 } });
  expect(changes.apply(record)).toEqual(record);
});

test("the changes of a removed bundle are forgotten", async () => {
  const { state, changes } = openBundle();
  state.isFull = true;
  await expect(changes.change(record, "use", used(1))).rejects.toThrow("ENOSPC");
  changes.forget("b");
  expect(changes.apply(record)).toEqual(record);
});

test("only the changes of the last 10,000 bundles are kept", { tags: "long" }, async () => {
  const { state, changes } = openBundle();
  state.isFull = true;
  const fail = (bundleId: string) => changes.change({ ...record, bundleId }, "use", used(1)).catch(() => {});
  for (let index = 0; index <= 10_000; index += 1) await fail(String(index));
  expect(changes.apply({ ...record, bundleId: "0" }).history).toEqual({});
  expect(changes.apply({ ...record, bundleId: "1" }).history).toEqual({ usedAtMs: 1 });
});
