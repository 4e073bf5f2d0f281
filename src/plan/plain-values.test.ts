import fc from "fast-check";
import { expect, test } from "vitest";
import { invalidLabelIssues } from "./invalid-labels.ts";
import { invalidValueIssues } from "./invalid-values.ts";
import { hasOnlyPlainValues } from "./plain-values.ts";
import { testDriver } from "./test-driver.ts";

const isPlain = (settings: Readonly<Record<string, string>>) => hasOnlyPlainValues(testDriver({ settings }).conf);

test.each([
  ["namespace", "jobs"],
  ["driver.label.team", "data"],
  ["executor.node.selector.zone", "a"],
  ["driver.request.cores", "500m"],
  ["container.image", "any/image:1 2"],
])("spark.kubernetes.%s=%s is plain", (key, value) => {
  expect(isPlain({ [`spark.kubernetes.${key}`]: value })).toBe(true);
});

test("no setting is plain that a check rejects", { tags: "long" }, () => {
  const part = fc.oneof(
    fc.constantFrom("driver.", "executor.", "label.", "annotation.", "service.", "node.selector.", "volumes."),
    fc.constantFrom(
      "cores",
      "request.cores",
      "limit.cores",
      "namespace",
      "pod.name",
      "allocation.batch.delay",
      "a",
      "a b",
      ".",
      "hostPath.v.mount.path",
    ),
    fc.string({ maxLength: 3 }),
  );
  const key = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => `spark.kubernetes.${parts.join("")}`);
  const value = fc.oneof(fc.constantFrom("a", "1", "500m", "1x", "", "a b", "A", "-a", "/x"), fc.string());
  let plain = 0;
  fc.assert(
    fc.property(fc.dictionary(key, value, { maxKeys: 3 }), (settings) => {
      const driver = testDriver({ settings });
      if (!hasOnlyPlainValues(driver.conf)) return;
      plain += 1;
      expect([...invalidValueIssues(driver.conf), ...invalidLabelIssues(driver)]).toEqual([]);
    }),
    { numRuns: 2000 },
  );
  expect(plain).toBeGreaterThan(100);
});
