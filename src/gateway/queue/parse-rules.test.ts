import { expect, test } from "vitest";
import { parseQueueRules } from "./parse-rules.ts";

test("reads queues with weights and limits, and the limits of users, namespaces and all", () => {
  const { rules, issues } = parseQueueRules(
    new Map([
      ["gateway.queue.nightly.weight", "3"],
      ["gateway.queue.nightly.maxCores", "100"],
      ["gateway.queue.default.maxRunning", "5"],
      ["gateway.user.maxMemory", "64Gi"],
      ["gateway.total.maxRunning", "200"],
      ["gateway.admission.nodes", "true"],
      ["spark.executor.cores", "2"],
    ]),
  );
  expect(issues).toEqual([]);
  expect([...rules.queues]).toEqual([
    ["default", { weight: 1, maxRunning: 5 }],
    ["nightly", { weight: 3, maxCores: 100 }],
  ]);
  expect(rules).toMatchObject({
    perUser: { maxMemoryMiB: 65_536 },
    perNamespace: {},
    total: { maxRunning: 200 },
    usesNodes: true,
  });
});

test("reports every invalid key and value", () => {
  const { issues } = parseQueueRules(
    new Map([
      ["gateway.queue.a.weight", "0"],
      ["gateway.queue.a.maxRunning", "many"],
      ["gateway.user.maxRunning", "1.5"],
      ["gateway.total.speed", "1"],
    ]),
  );
  expect(issues.map(({ message }) => message)).toEqual([
    "Invalid value '0' for gateway.queue.a.weight; allowed: a number above 0.",
    "Invalid value 'many' for gateway.queue.a.maxRunning; allowed: a number of applications.",
    "Invalid value '1.5' for gateway.user.maxRunning; allowed: a number of applications.",
    "Invalid value '1' for gateway.total.speed; allowed: only keys that end with weight, maxRunning, maxCores, maxMemory.",
  ]);
});
