import { expect, test } from "vitest";
import type { GatewayApplication } from "../model/application.ts";
import { testApplication, testRecord } from "../model/test-application.ts";
import { runIndex } from "./run-index.ts";

function run(number: number, uid: string): GatewayApplication {
  const record = testRecord({ key: `api-${number}`, number, schedule: { uid, name: "etl", scheduledMs: number } });
  return testApplication({ record });
}

test("the runs of a schedule are found, the newest first, and removed ones are forgotten", () => {
  const all = new Map(
    [run(1, "a"), run(2, "b"), run(3, "a"), testApplication()].map((each) => [each.record.key, each]),
  );
  let change: (key: string, application: GatewayApplication | undefined) => void = () => {};
  const index = runIndex({
    list: () => all.values(),
    get: (key) => all.get(key),
    onChange(listener) {
      change = listener;
      return () => {};
    },
  });
  const keysOf = (uid: string) => index.of(uid).map(({ record }) => record.key);
  expect([keysOf("a"), index.size()]).toEqual([["api-3", "api-1"], 3]);
  for (const key of ["api-1", "api-3"]) {
    all.delete(key);
    change(key, undefined);
  }
  expect([keysOf("a"), keysOf("b"), index.size()]).toEqual([[], ["api-2"], 1]);
});
