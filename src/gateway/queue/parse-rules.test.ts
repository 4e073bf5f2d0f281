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

test("reads the schedulers of queues, whose own queues have the same name if no other is given", () => {
  const { rules, issues } = parseQueueRules(
    new Map([
      ["gateway.queue.nightly.schedulerQueue", "root.etl"],
      ["gateway.queue.nightly.scheduler", "yunikorn"],
      ["gateway.queue.nightly.maxRunning", "5"],
      ["gateway.queue.default.scheduler", "kueue"],
    ]),
  );
  expect(issues).toEqual([]);
  expect([...rules.queues]).toEqual([
    ["default", { weight: 1, scheduler: { kind: "kueue", queue: "default" } }],
    ["nightly", { weight: 1, maxRunning: 5, scheduler: { kind: "yunikorn", queue: "root.etl" } }],
  ]);
});

test("reports unknown schedulers, invalid names and queues without a scheduler", () => {
  const { issues } = parseQueueRules(
    new Map([
      ["gateway.queue.a.scheduler", "slurm"],
      ["gateway.queue.b.scheduler", "volcano"],
      ["gateway.queue.b.schedulerQueue", "no such/queue"],
      ["gateway.queue.c.schedulerQueue", "etl"],
      ["gateway.queue._.scheduler", "kueue"],
    ]),
  );
  expect(issues.map(({ message }) => message)).toEqual([
    "Invalid value 'slurm' for gateway.queue.a.scheduler; allowed: kueue, volcano, yunikorn.",
    "Invalid value 'no such/queue' for gateway.queue.b.schedulerQueue; allowed: a name as in labels of Kubernetes.",
    "Invalid value 'etl' for gateway.queue.c.schedulerQueue; allowed: only with gateway.queue.c.scheduler.",
    "Invalid value '_' for gateway.queue._.schedulerQueue; allowed: a name as in labels of Kubernetes.",
  ]);
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
    "Invalid value '1' for gateway.total.speed; allowed: only keys that end with weight, scheduler, schedulerQueue, maxRunning, maxCores, maxMemory.",
  ]);
});
