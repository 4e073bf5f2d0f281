import fc from "fast-check";
import { expect, test } from "vitest";
import { allEntries } from "./entries/all.ts";
import { knownKeys } from "./known-settings.ts";
import { nearestKeys } from "./nearest-keys.ts";

const known = [...knownKeys().keys()];

test.each([
  ["a typo", "namespce", ["spark.kubernetes.namespace"]],
  ["different case", "Namespace", ["spark.kubernetes.namespace"]],
  ["a plural", "driver.limits.cores", ["spark.kubernetes.driver.limit.cores"]],
  ["a missing segment", "image", ["spark.kubernetes.container.image"]],
  ["a missing end", "file.upload", ["spark.kubernetes.file.upload.path"]],
  ["an additional segment", "driver.memory", ["spark.driver.memory"]],
  ["two segments joined", "allocation.batchSize", ["spark.kubernetes.allocation.batch.size"]],
  ["one segment split", "driver.env.FOO", ["spark.kubernetes.driverEnv.FOO"]],
  ["a setting of the other role", "executor.pod.name", ["spark.kubernetes.driver.pod.name"]],
  [
    "a setting without a role",
    "label.x.y/z",
    ["spark.kubernetes.driver.label.x.y/z", "spark.kubernetes.executor.label.x.y/z"],
  ],
  ["a family's plural", "driver.labels.a.b/c", ["spark.kubernetes.driver.label.a.b/c"]],
  ["a family in one segment", "nodeSelector.a", ["spark.kubernetes.node.selector.a"]],
  [
    "a typo in a family with a long member name",
    "driver.volume.hostPath.x.mount.path",
    ["spark.kubernetes.driver.volumes.hostPath.x.mount.path"],
  ],
  ["another family", "executorEnv.A", ["spark.executorEnv.A"]],
  ["an unrelated key", "tolerations.x", []],
  ["a key of another product", "mycompany.queue.name", []],
])("suggests keys for %s: %s", (_, member, nearest) => {
  expect(nearestKeys(`spark.kubernetes.${member}`, known)).toEqual(nearest);
});

test("finds a known key in which a letter of a long segment is missing", { tags: "long" }, () => {
  const keys = allEntries.map(({ key }) => key).filter((key) => /^spark\.kubernetes\..*\w{8}$/.test(key));
  const typos = fc.constantFrom(...keys).chain((key) =>
    fc.integer({ min: 1, max: 6 }).map((fromEnd) => {
      const at = key.length - fromEnd;
      return { key, misspelled: key.slice(0, at) + key.slice(at + 1) };
    }),
  );
  fc.assert(
    fc.property(typos, ({ key, misspelled }) => {
      fc.pre(!known.includes(misspelled));
      expect(nearestKeys(misspelled, known)).toContain(key);
    }),
    { numRuns: 50 },
  );
});

test("returns the same keys regardless of the order of the known keys", { tags: "long" }, () => {
  const shuffled = fc.shuffledSubarray(known, { minLength: known.length });
  fc.assert(
    fc.property(shuffled, fc.constantFrom("driver.limits.cores", "label.x", "image"), (keys, member) => {
      const key = `spark.kubernetes.${member}`;
      expect(nearestKeys(key, known)).not.toEqual([]);
      expect(nearestKeys(key, keys)).toEqual(nearestKeys(key, known));
    }),
    { numRuns: 20 },
  );
});
