import { expect, test } from "vitest";
import type { ApplicationRecord } from "../model/application.ts";
import { repeatedRecords } from "./read-records.ts";

function record(number: number, changes: Partial<ApplicationRecord> = {}): ApplicationRecord {
  return {
    ...{
      key: `api-${number}`,
      protocol: "api",
      id: String(number),
      namespace: "jobs",
      podName: `api-${number}-driver`,
    },
    ...{ priority: 0, acceptedMs: number, number, attempt: 1, idempotencyKey: "run-1" },
    submission: { fields: {}, settings: {}, resource: "local:///app.jar", appArgs: [], templates: {} },
    ...changes,
  };
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
