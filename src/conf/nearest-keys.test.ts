import fc from "fast-check";
import { expect, test } from "vitest";
import { allEntries } from "./entries/all.ts";
import { knownKeys } from "./known-settings.ts";
import { nearestKeys } from "./nearest-keys.ts";

const known = [...knownKeys().keys()];

test.each([
  ["a slip", "namespce", ["spark.kubernetes.namespace"]],
  ["other capitals", "Namespace", ["spark.kubernetes.namespace"]],
  ["a plural", "driver.limits.cores", ["spark.kubernetes.driver.limit.cores"]],
  ["a missing word", "image", ["spark.kubernetes.container.image"]],
  ["a missing end", "file.upload", ["spark.kubernetes.file.upload.path"]],
  ["a word too many", "driver.memory", ["spark.driver.memory"]],
  ["two words as one", "allocation.batchSize", ["spark.kubernetes.allocation.batch.size"]],
  ["one word as two", "driver.env.FOO", ["spark.kubernetes.driverEnv.FOO"]],
  ["a setting of the other role", "executor.pod.name", ["spark.kubernetes.driver.pod.name"]],
  [
    "a setting without a role",
    "label.x.y/z",
    ["spark.kubernetes.driver.label.x.y/z", "spark.kubernetes.executor.label.x.y/z"],
  ],
  ["a family's plural", "driver.labels.a.b/c", ["spark.kubernetes.driver.label.a.b/c"]],
  ["a family in one word", "nodeSelector.a", ["spark.kubernetes.node.selector.a"]],
  [
    "a family's slip with much behind it",
    "driver.volume.hostPath.x.mount.path",
    ["spark.kubernetes.driver.volumes.hostPath.x.mount.path"],
  ],
  ["another family", "executorEnv.A", ["spark.executorEnv.A"]],
  ["nothing that is near", "tolerations.x", []],
  ["somebody else's", "mycompany.queue.name", []],
])("%s: %s", (_, member, nearest) => {
  expect(nearestKeys(`spark.kubernetes.${member}`, known)).toEqual(nearest);
});

test("a letter that is missing in a long word of a known key is found again", () => {
  const keys = allEntries.map(({ key }) => key).filter((key) => /^spark\.kubernetes\..*\w{8}$/.test(key));
  const slips = fc.constantFrom(...keys).chain((key) =>
    fc.integer({ min: 1, max: 6 }).map((fromEnd) => {
      const at = key.length - fromEnd;
      return { key, misspelt: key.slice(0, at) + key.slice(at + 1) };
    }),
  );
  fc.assert(
    fc.property(slips, ({ key, misspelt }) => {
      fc.pre(!known.includes(misspelt));
      expect(nearestKeys(misspelt, known)).toContain(key);
    }),
    { numRuns: 50 },
  );
});

test("the order of the known keys does not matter", () => {
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
