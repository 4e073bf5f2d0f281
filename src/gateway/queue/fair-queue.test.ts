import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fairQueue, type QueueItem } from "./fair-queue.ts";
import { noRules, type QueueRules } from "./queue-rules.ts";

const unlimited = () => [];
let number = 0;

function item(key: string, changes: Partial<QueueItem> = {}): QueueItem {
  number += 1;
  return { key, namespace: "jobs", priority: 0, number, demand: { cores: 1, memoryMiB: 1024 }, ...changes };
}

function rules(changes: Partial<QueueRules>): QueueRules {
  return { ...noRules, ...changes };
}

function takeAll(queue: ReturnType<typeof fairQueue>): readonly string[] {
  const taken: string[] = [];
  for (let next = queue.take(); next !== undefined; next = queue.take()) taken.push(next.key);
  return taken;
}

describe("the order", () => {
  test("is by priority, then by acceptance", () => {
    const queue = fairQueue(noRules, unlimited);
    for (const each of [item("a"), item("b", { priority: 5 }), item("c"), item("d", { priority: 5 })]) queue.add(each);
    expect(takeAll(queue)).toEqual(["b", "d", "a", "c"]);
  });

  test("has each application once", () => {
    const queue = fairQueue(noRules, unlimited);
    const first = item("a");
    for (const each of [first, item("b"), first]) queue.add(each);
    expect(queue.waiting("b")?.position).toBe(2);
    expect(takeAll(queue)).toEqual(["a", "b"]);
  });

  test("shares the cluster among queues by weight", () => {
    const queues = new Map([
      ["large", { weight: 3 }],
      ["small", { weight: 1 }],
    ]);
    const queue = fairQueue(rules({ queues, total: { maxRunning: 8 } }), unlimited);
    for (let index = 0; index < 20; index += 1) {
      queue.add(item(`small-${index}`, { queue: "small" }));
      queue.add(item(`large-${index}`, { queue: "large" }));
    }
    expect(takeAll(queue).filter((key) => key.startsWith("large"))).toHaveLength(6);
  });
});

describe("the position", () => {
  test("of each application is its index in the order, after others have left the queue", () => {
    const queue = fairQueue(rules({ total: { maxRunning: 0 } }), unlimited);
    const items = Array.from({ length: 50 }, (_, index) => item(`a-${index}`, { priority: index % 3 }));
    for (const each of items) queue.add(each);
    for (const { key } of items.slice(10, 20)) queue.remove(key);
    const left = [...items.slice(0, 10), ...items.slice(20)].sort((a, b) => b.priority - a.priority);
    expect(left.map(({ key }) => queue.waiting(key)?.position)).toEqual(left.map((_, index) => index + 1));
  });
});

describe("an application waits", () => {
  test("for each limit, which its reason names", () => {
    const perUser = { maxRunning: 1 };
    const queues = new Map([["default", { weight: 1, maxCores: 2 }]]);
    const queue = fairQueue(rules({ perUser, queues }), unlimited);
    queue.add(item("first", { user: "alice" }));
    queue.add(item("second", { user: "alice" }));
    queue.add(item("third", { user: "bob", demand: { cores: 2, memoryMiB: 1 } }));
    expect(takeAll(queue)).toEqual(["first"]);
    expect(queue.waiting("second")).toEqual({
      position: 1,
      reason: "The limit of user alice is reached: 1 of 1 applications run.",
    });
    expect(queue.waiting("third")).toEqual({ position: 2, reason: "1 application is before it in queue default." });
    queue.end("first");
    expect(takeAll(queue)).toEqual(["second"]);
    expect(queue.waiting("third")?.reason).toBe(
      "The limit of queue default is reached: 1 of 2 cores are used, and it needs 2.",
    );
  });

  test("until driver and least executors fit beside those that were admitted, so that drivers do not fill the cluster", () => {
    const hard = { cores: 6, memoryMiB: 8192 };
    let used = { cores: 0, memoryMiB: 0 };
    const name = "the quota of namespace jobs";
    const queue = fairQueue(noRules, () => [{ name, hard, used, scope: "namespace" }]);
    for (const key of ["a", "b", "c"]) queue.add(item(key, { demand: { cores: 3, memoryMiB: 2048 } }));
    // Only the drivers of the first two exist yet.
    used = { cores: 2, memoryMiB: 2048 };
    expect(takeAll(queue)).toEqual(["a", "b"]);
    expect(queue.waiting("c")?.reason).toBe(
      "Driver and least executors need 3 cores and 2048 MiB; the quota of namespace jobs has 0 cores and 4096 MiB free.",
    );
    queue.end("a");
    expect(queue.take()?.key).toBe("c");
  });

  test("for those that run, if it needs more than there is", () => {
    const hard = { cores: 2, memoryMiB: 8192 };
    const used = { cores: 0, memoryMiB: 0 };
    const queue = fairQueue(noRules, () => [{ name: "the cluster's nodes", hard, used, scope: "total" }]);
    for (const key of ["a", "b"]) queue.add(item(key, { demand: { cores: 3, memoryMiB: 2048 } }));
    expect(takeAll(queue)).toEqual(["a"]);
    queue.end("a");
    expect(takeAll(queue)).toEqual(["b"]);
  });

  test("no longer when it is removed", () => {
    const queue = fairQueue(noRules, unlimited);
    queue.add(item("a"));
    queue.remove("a");
    expect([queue.take(), queue.waiting("a")]).toEqual([undefined, undefined]);
  });
});

test("a scheduler of the cluster holds its queue's applications itself, and only limits hold them up before", () => {
  const scheduler = { kind: "kueue", queue: "etl" } as const;
  const queues = new Map([["etl", { weight: 1, maxRunning: 2, scheduler }]]);
  const hard = { cores: 2, memoryMiB: 8192 };
  let used = { cores: 2, memoryMiB: 0 };
  const queue = fairQueue(rules({ queues }), () => [{ name: "the cluster's nodes", hard, used, scope: "total" }]);
  for (const key of ["a", "b", "c"]) queue.add(item(key, { queue: "etl" }));
  expect(takeAll(queue)).toEqual(["a", "b"]);
  expect(queue.waiting("c")?.reason).toBe("The limit of queue etl is reached: 2 of 2 applications run.");
  expect(queue.usage().find((each) => each.queue === "etl")).toMatchObject({ limits: { maxRunning: 2 }, scheduler });
  // What the scheduler holds back leaves the nodes to the gateway's own queues.
  used = { cores: 0, memoryMiB: 0 };
  queue.add(item("own", { demand: { cores: 2, memoryMiB: 1024 } }));
  expect(takeAll(queue)).toEqual(["own"]);
});

test("no order of calls exceeds a limit, loses an application or admits one twice", () => {
  const step = fc.record({ action: fc.constantFrom("add", "take", "end"), user: fc.constantFrom("alice", "bob") });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const queue = fairQueue(rules({ perUser: { maxRunning: 2 }, total: { maxCores: 3 } }), unlimited);
      const running: QueueItem[] = [];
      const taken = new Set<string>();
      let added = 0;
      for (const { action, user } of steps) {
        if (action === "add") {
          added += 1;
          queue.add(item(String(added), { user }));
        }
        if (action === "end") queue.end(running.shift()?.key ?? "none");
        if (action === "take") {
          const next = queue.take();
          if (next === undefined) continue;
          expect(taken.has(next.key)).toBe(false);
          taken.add(next.key);
          running.push(next);
        }
        expect(running.length).toBeLessThanOrEqual(3);
        expect(running.filter((each) => each.user === user).length).toBeLessThanOrEqual(2);
      }
      // Whatever waits can run when the others have ended.
      for (let ended = running.map(({ key }) => key); ended.length > 0 || taken.size < added; ) {
        for (const key of ended) queue.end(key);
        const next = takeAll(queue);
        for (const key of next) taken.add(key);
        ended = [...next];
        if (next.length === 0) break;
      }
      expect(taken.size).toBe(added);
    }),
  );
});

test("an application that is put back holds up those behind it in its queue, until it is released", () => {
  const queue = fairQueue(noRules, unlimited);
  for (const each of [item("a"), item("b"), item("other", { queue: "small" })]) queue.add(each);
  const first = queue.take();
  if (first === undefined) throw new Error("The queue is empty.");
  queue.putBack(first, "The quota is exhausted.");
  expect(queue.waiting("a")).toEqual({ position: 1, reason: "The quota is exhausted." });
  expect(queue.waiting("b")?.position).toBe(2);
  expect(takeAll(queue)).toEqual(["other"]);
  expect(queue.usage()[0]?.running).toBe(0);
  queue.release();
  expect(takeAll(queue)).toEqual(["a", "b"]);
});
