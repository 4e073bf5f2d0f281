import { describe, expect, test } from "vitest";
import { type TestApi, testApi } from "../../../test-api.ts";

const path = "/apis/batch/v1/namespaces/default/jobs";
const mergePatch = { "content-type": "application/merge-patch+json" };

function job(spec: object = {}, metadata: object = {}, templateMetadata: object = {}) {
  const podSpec = { restartPolicy: "Never", containers: [{ name: "a", image: "x:1" }] };
  const template = { metadata: templateMetadata, spec: podSpec };
  return { apiVersion: "batch/v1", kind: "Job", metadata: { name: "j", ...metadata }, spec: { template, ...spec } };
}

async function send(api: TestApi, method: "PATCH" | "POST", target: string, body: object) {
  const headers = method === "PATCH" ? mergePatch : {};
  return JSON.parse(await (await api.call(method, target, { body, headers })).text());
}

/** Returns the causes of a rejection as `field: message`. */
function causesOf({ details }: { details?: { causes?: { field: string; message: string }[] } }): string[] {
  return (details?.causes ?? []).map(({ field, message }) => `${field}: ${message}`);
}

const indexed = { completionMode: "Indexed", completions: 3 };
const rule = { action: "Ignore", onPodConditions: [{ type: "DisruptionTarget" }] };

describe("a new job", () => {
  test("gets defaults that depend on its policies", async () => {
    const policies = { backoffLimitPerIndex: 1, podFailurePolicy: { rules: [rule] } };
    expect((await send(testApi(), "POST", path, job({ ...indexed, ...policies }))).spec).toMatchObject({
      backoffLimit: 2_147_483_647,
      podReplacementPolicy: "Failed",
      podFailurePolicy: { rules: [{ onPodConditions: [{ type: "DisruptionTarget", status: "True" }] }] },
    });
  });

  test("gets the labels of its template unless it has its own", async () => {
    const labels = { app: "x" };
    const created = await send(testApi(), "POST", path, job({}, {}, { labels }));
    expect(created.metadata.labels).toMatchObject({ app: "x", "job-name": "j" });
    const named = await send(testApi(), "POST", path, job({}, { labels }, { labels }));
    expect(named.metadata.labels).toEqual(labels);
  });

  test.each<[object, string]>([
    [
      { managedBy: "queue" },
      'spec.managedBy: Invalid value: "queue": must be a domain-prefixed path (such as "acme.io/foo")',
    ],
    [{ backoffLimitPerIndex: 1 }, "spec.backoffLimitPerIndex: Invalid value: 1: requires indexed completion mode"],
    [
      { ...indexed, maxFailedIndexes: 1 },
      "spec.backoffLimitPerIndex: Required value: when maxFailedIndexes is specified",
    ],
    [
      { ...indexed, maxFailedIndexes: 4, backoffLimitPerIndex: 1 },
      "spec.maxFailedIndexes: Invalid value: 4: must be less than or equal to completions",
    ],
    [
      { podFailurePolicy: { rules: [{ ...rule, action: "FailIndex" }] } },
      'spec.podFailurePolicy.rules[0].action: Invalid value: "FailIndex": requires the backoffLimitPerIndex to be set',
    ],
    [
      { podFailurePolicy: { rules: [{ action: "Count" }] } },
      "spec.podFailurePolicy.rules[0]: Invalid value: specifying one of OnExitCodes and OnPodConditions is required",
    ],
    [
      { podFailurePolicy: { rules: [{ action: "Count", onExitCodes: { operator: "In", values: [2, 1] } }] } },
      "spec.podFailurePolicy.rules[0].onExitCodes.values: Invalid value: [2,1]: must be ordered",
    ],
    [
      { podFailurePolicy: { rules: [{ action: "", onExitCodes: { operator: "In", values: [1] } }] } },
      'spec.podFailurePolicy.rules[0].action: Required value: valid values: ["Count" "FailIndex" "FailJob" "Ignore"]',
    ],
    [
      { podReplacementPolicy: "TerminatingOrFailed", podFailurePolicy: { rules: [rule] } },
      'spec.podReplacementPolicy: Unsupported value: "TerminatingOrFailed": supported values: "Failed"',
    ],
    [
      { successPolicy: { rules: [] } },
      'spec.successPolicy: Invalid value: {"Rules":[]}: requires indexed completion mode',
    ],
    [
      { ...indexed, successPolicy: { rules: [{ succeededIndexes: "0,3" }] } },
      'spec.successPolicy.rules[0].succeededIndexes: Invalid value: "0,3": error parsing succeededIndexes: too large index: "3"',
    ],
    [
      { ...indexed, successPolicy: { rules: [{ succeededIndexes: "0,2", succeededCount: 3 }] } },
      "spec.successPolicy.rules[0].succeededCount: Invalid value: 3: must be less than or equal to 2 (the number of indexes in the specified succeededIndexes field)",
    ],
  ])("%j is rejected", async (spec, cause) => {
    expect(causesOf(await send(testApi(), "POST", path, job(spec)))).toEqual([cause]);
  });
});

describe("an update of a job", () => {
  test("cannot change its policies and completion mode", async () => {
    const api = testApi();
    await send(api, "POST", path, job({ ...indexed, parallelism: 3, backoffLimitPerIndex: 1 }));
    const spec = { backoffLimitPerIndex: 2, completions: 4, managedBy: "example.com/x" };
    expect(causesOf(await send(api, "PATCH", `${path}/j`, { spec }))).toEqual([
      "spec.completions: Invalid value: 4: can only be modified in tandem with spec.parallelism",
      "spec.backoffLimitPerIndex: Invalid value: 2: field is immutable",
      'spec.managedBy: Invalid value: "example.com/x": field is immutable',
    ]);
    const scaled = await send(api, "PATCH", `${path}/j`, { spec: { completions: 2, parallelism: 2 } });
    expect(scaled.spec.completions).toBe(2);
  });

  test("can change where the pods of a job run until it starts", async () => {
    const api = testApi();
    await send(api, "POST", path, job({ suspend: true }));
    const change = (nodeSelector: object, more = {}) =>
      send(api, "PATCH", `${path}/j`, { spec: { template: { spec: { nodeSelector, ...more } } } });
    expect((await change({ disk: "ssd" })).spec.template.spec.nodeSelector).toEqual({ disk: "ssd" });
    expect(causesOf(await change({ disk: "ssd" }, { hostNetwork: true }))[0]).toMatch(/^spec\.template: .*immutable$/);
    await send(api, "PATCH", `${path}/j`, { spec: { suspend: false } });
    await api.host.advance(1);
    expect(causesOf(await change({ disk: "hdd" }))[0]).toMatch(/^spec\.template: .*field is immutable$/);
  });
});

describe("a client that writes the status of a job", () => {
  const write = async (status: object, spec: object = {}) => {
    const api = testApi();
    await send(api, "POST", path, job({ managedBy: "example.com/x", ...spec }));
    return causesOf(await send(api, "PATCH", `${path}/j/status`, { status }));
  };
  const isTrue = (type: string) => ({ type, status: "True" });
  const startTime = "2026-01-02T03:04:05Z";

  test("cannot finish it without the announcing condition, start and completion time", async () => {
    expect(await write({ conditions: [isTrue("Complete")] })).toEqual([
      "status.conditions: Invalid value: cannot set Complete=True condition without the SuccessCriteriaMet=true condition",
      "status.completionTime: Required value: completionTime is required for Complete jobs",
      "status.startTime: Required value: startTime is required for finished job",
    ]);
    const conditions = [isTrue("SuccessCriteriaMet"), isTrue("Complete")];
    expect(await write({ startTime, completionTime: startTime, conditions })).toEqual([]);
  });

  test("cannot report indexes of a job without indexes", async () => {
    expect(await write({ completedIndexes: "0" })).toEqual([
      'status.completedIndexes: Invalid value: "0": cannot set non-empty completedIndexes when non-indexed completion mode',
    ]);
    const spec = { ...indexed, backoffLimitPerIndex: 1 };
    expect(await write({ completedIndexes: "0,1", failedIndexes: "1" }, spec)).toEqual([
      'status.failedIndexes: Invalid value: "1": failedIndexes and completedIndexes overlap at index: 1',
    ]);
  });

  test("cannot report more ready than active pods", async () => {
    expect(await write({ ready: 1 })).toEqual([
      "status.ready: Invalid value: 1: cannot set more ready pods than active",
    ]);
  });
});
