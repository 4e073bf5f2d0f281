import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { diagnose } from "./diagnose.ts";
import { readRecord } from "./record.ts";
import { instant, startMs } from "./test-observation.ts";

const spec = {
  containers: [{ name: "proxy" }, { name: "app", args: ["driver"] }],
  initContainers: [{ name: "fetch" }],
};
const pod = (name: string, phase: string, rest = {}) => ({ metadata: { name }, status: { phase }, ...rest });
const seen = (uid: string, count: number) => ({
  metadata: { uid },
  involvedObject: { kind: "Pod", name: "d" },
  count,
});

const record = {
  startedAt: instant(0),
  endMs: 9000,
  driverPod: "d",
  properties: { a: "b" },
  rejection: { ms: 3000, request: "POST /api/v1/pods", status: 403, body: "no" },
  timeline: [
    { ms: 10, pod: pod("d", "Pending", { spec }), events: [seen("1", 1)] },
    { ms: 2000, pod: pod("d", "Running"), events: [seen("2", 1), seen("1", 2)] },
    { ms: 4000, executors: [pod("e", "Running", { spec: { containers: [{ name: "x" }] } })] },
    { ms: 5000, executorsDeleted: ["e"] },
    { ms: 6000, pod: pod("d", "Failed"), deleted: true },
    { ms: 30_000, events: [seen("3", 1)] },
  ],
  log: "one\ntwo\n",
  logMs: [100, 7000],
  initLog: "init",
  initLogMs: [50],
  executorLogs: { e: "hello" },
  executorLogsMs: { e: [4500] },
};

function read(value: unknown) {
  const run = readRecord(typeof value === "string" ? value : JSON.stringify(value), "r.json");
  if (!run.ok) throw new Error(run.issues.map(({ message }) => message).join());
  return run.value;
}

describe("a parsed record", () => {
  test("lists the times of its changes and its end", () => {
    expect(read(record).changesMs).toEqual([10, 2000, 3000, 4000, 5000, 6000, 9000]);
  });

  test("returns the observation at a time", () => {
    const { driver, events, executors, rejection, now } = read(record).at(2500);
    expect([now, driver?.pod.status?.phase, driver?.isDeleted]).toEqual([startMs + 2500, "Running", false]);
    expect(driver?.pod.spec).toEqual(spec);
    expect(events.map(({ metadata, count }) => [metadata.uid, count])).toEqual([
      ["2", 1],
      ["1", 2],
    ]);
    expect([executors, rejection]).toEqual([[], undefined]);
    expect(driver?.logs).toEqual({
      app: [{ at: startMs + 100, text: "one" }],
      fetch: [{ at: startMs + 50, text: "init" }],
      proxy: [],
    });
  });

  test("returns everything at its end", () => {
    const { driver, events, executors, rejection } = read(record).at(9000);
    expect([driver?.isDeleted, driver?.logs["app"]?.length, events.length]).toEqual([true, 2, 3]);
    expect(executors).toMatchObject([{ isDeleted: true, logs: { x: [{ text: "hello" }] } }]);
    expect(rejection).toEqual({ method: "POST", path: "/api/v1/pods", status: 403, body: "no" });
  });

  test.each([
    ["{", "it is not JSON"],
    ["[]", "it is not a JSON object"],
    [{ ...record, startedAt: "today" }, "startedAt is not a time"],
    [{ ...record, endMs: "9" }, "endMs is not a number"],
    [{ ...record, timeline: {} }, "timeline is not a list"],
    [{ ...record, timeline: [{ ms: 1 }, { pod: {} }] }, "timeline[1].ms is missing"],
    [{ ...record, timeline: [{ ms: 1, pod: {} }] }, "timeline[0].pod.metadata is missing"],
    [{ ...record, timeline: [{ ms: 1, events: [{}] }] }, "timeline[0].events[0].metadata is missing"],
    [{ ...record, logMs: ["1"] }, "log is not a log"],
    [{ ...record, rejection: { ms: 1 } }, "rejection is not a rejected request"],
    [{ ...record, objects: [1] }, "objects[0] is a number, not an object"],
    [{ ...record, properties: { a: 1 } }, "properties are not texts"],
  ])("%#: rejects a foreign file with the reason", (value, reason) => {
    expect(() => read(value)).toThrow(`r.json is not a record of a submission: ${reason}.`);
  });
});

test("any JSON is diagnosed or rejected", { tags: "long" }, () => {
  const name = fc.constantFrom(
    ...["metadata", "spec", "status", "name", "uid", "labels", "containers", "containerStatuses", "conditions"],
    ...["state", "terminated", "exitCode", "waiting", "reason", "message", "phase", "volumes", "involvedObject"],
    ...["initContainers", "resources", "limits", "env", "args", "type", "kind", "series", "count", "nodeName"],
  );
  const { json } = fc.letrec<{ json: unknown }>((tie) => ({
    json: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      fc.oneof(fc.constantFrom(null, true, 0, -1, "", "Failed", "PodScheduled", "False"), fc.string({ maxLength: 4 })),
      fc.array(tie("json"), { maxLength: 3 }),
      fc.dictionary(name, tie("json"), { maxKeys: 5 }),
    ),
  }));
  const object = fc.record({ metadata: json, spec: json, status: json }, { requiredKeys: [] });
  const changed = (base: object) => fc.tuple(name, json).map(([field, value]) => ({ ...base, [field]: value }));
  const [first] = record.timeline;
  const parts = fc.record({
    pod: fc.oneof(changed(first?.pod ?? {}), object),
    events: fc.array(fc.oneof(changed({ metadata: {}, reason: "FailedMount", message: "x" }), object), {
      maxLength: 3,
    }),
    executors: fc.array(fc.oneof(changed(first?.pod ?? {}), object), { maxLength: 2 }),
  });
  fc.assert(
    fc.property(parts, json, (entry, other) => {
      const text = JSON.stringify({ ...record, timeline: [{ ms: 1, ...entry }, ...record.timeline], objects: [other] });
      const run = readRecord(text, "r.json");
      if (!run.ok) expect(run.issues).toMatchObject([{ code: "SUBMIT_ERR_RECORD" }]);
      else for (const ms of [1, 3000, 9000]) expect(diagnose(run.value.at(ms))?.message).not.toBe("");
    }),
    { numRuns: 300 },
  );
});
