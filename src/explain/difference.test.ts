import { expect, test } from "vitest";
import { differenceOf } from "./difference.ts";
import { fieldsOf } from "./fields.ts";
import { testObjects } from "./test-submission.ts";

const fields = (options: Parameters<typeof testObjects>[0] = {}) => fieldsOf(testObjects(options));

test("differenceOf ignores generated IDs", () => {
  const uniqueIds = { resourceNamePrefix: "f1", driverService: "f2", confMap: "f3" };
  const changes = differenceOf(fields(), fields({ facts: { uniqueIds } }));
  expect(changes.filter(({ old, new: changed }) => !/f[123]/.test(`${old} ${changed}`))).toEqual([]);
  expect(changes.some(({ isEntireObject }) => isEntireObject)).toBe(false);
});

test("differenceOf returns changed, added and removed fields", () => {
  const old = fields({ settings: { "spark.driver.cores": "2", "spark.kubernetes.driver.label.a": "1" } });
  const changes = differenceOf(old, fields({ settings: { "spark.kubernetes.driver.label.b": "1" } }));
  expect(changes.filter(({ objectId }) => objectId === "driver")).toEqual([
    {
      objectId: "driver",
      kind: "Pod",
      path: "metadata.labels.a",
      old: "1",
      new: undefined,
      isEntireObject: false,
    },
    {
      objectId: "driver",
      kind: "Pod",
      path: "spec.containers[spark-kubernetes-driver].resources.requests.cpu",
      old: "2",
      new: "1",
      isEntireObject: false,
    },
    {
      objectId: "driver",
      kind: "Pod",
      path: "metadata.labels.b",
      old: undefined,
      new: "1",
      isEntireObject: false,
    },
  ]);
});

test("differenceOf marks objects that only one side has", () => {
  const changes = differenceOf(fields({ line: "4.1" }), fields({ line: "4.2" }));
  const policy = changes.filter(({ objectId }) => objectId === "NetworkPolicy/policy");
  expect(policy.length).toBeGreaterThan(1);
  expect(policy.every(({ isEntireObject, old }) => isEntireObject && old === undefined)).toBe(true);
});
