import { expect, test } from "vitest";
import type { ApplicationRecord } from "../model/application.ts";
import { testRecord } from "../model/test-application.ts";
import { repeatedRecords } from "./read-records.ts";

function record(number: number, changes: Partial<ApplicationRecord> = {}): ApplicationRecord {
  const names = { key: `api-${number}`, id: String(number), podName: `api-${number}-driver` };
  return testRecord({ ...names, acceptedMs: number, number, idempotencyKey: "run-1", ...changes });
}

const repeatedKeys = (...records: readonly ApplicationRecord[]) => [...repeatedRecords(records)].map(({ key }) => key);

test("of several records of one request, only the latest is kept", () => {
  expect(repeatedKeys(record(1), record(2), record(3))).toEqual(["api-1", "api-2"]);
});

test.each<[string, Partial<ApplicationRecord>]>([
  ["has a driver", { appId: "spark-1" }],
  ["has ended", { end: { state: "failed", atMs: 1, hasStarted: false } }],
  ["was killed", { killed: { by: undefined, atMs: 1 } }],
  ["was removed", { isRemoved: true }],
  ["belongs to another owner", { owner: "bob" }],
  ["has no idempotency key", { idempotencyKey: undefined }],
])("a record that %s is kept", (_, changes) => {
  expect(repeatedKeys(record(1, changes), record(2))).toEqual([]);
});
