import { beforeEach, describe, expect, test } from "vitest";
import { targets } from "../target.ts";
import { apiNamespace } from "./api-namespace.ts";
import { mergePatch } from "./objects.ts";

describe.each(targets())("$name", ({ open }) => {
  const api = apiNamespace(open);
  const core = () => `${api.base}/events`;
  const newer = () => `/apis/events.k8s.io/v1/namespaces/${api.namespace}/events`;

  beforeEach(async () => {
    const event = (name: string, involved: object, more: object) => ({
      ...{ apiVersion: "v1", kind: "Event", metadata: { name }, message: "m", type: "Normal", reason: "R1" },
      involvedObject: { apiVersion: "v1", kind: "Pod", name: "p", namespace: api.namespace, uid: "u1", ...involved },
      ...more,
    });
    const source = { component: "c1" };
    await api.client.call("POST", core(), event("a", { fieldPath: "spec.containers{a}" }, { source }));
    const other = { reason: "R2", type: "Warning", reportingComponent: "rc" };
    await api.client.call("POST", core(), event("b", { kind: "Job", name: "j", uid: "u2" }, other));
  });

  const select = async (path: string, selector: string) => {
    const { status, body } = await api.client.call("GET", `${path}?fieldSelector=${encodeURIComponent(selector)}`);
    return status === 200 ? body.items.map(({ metadata }) => metadata.name) : body.message;
  };

  test.each([
    ["involvedObject.kind=Pod", ["a"]],
    ["involvedObject.uid!=u1", ["b"]],
    ["involvedObject.fieldPath=spec.containers{a}", ["a"]],
    ["involvedObject.fieldPath=", ["b"]],
    ["reason=R2,type=Warning", ["b"]],
    ["source=c1", ["a"]],
    ["source=rc", ["b"]],
    ["reportingComponent=", ["a"]],
    ["metadata.name=a", ["a"]],
    ["message=m", "field label not supported: message"],
    ["source.component=c1", "field label not supported: source.component"],
    ["regarding.name=p", "field label not supported: regarding.name"],
  ])("selects events of the core group by %s", async (selector, expected) => {
    expect(await select(core(), selector)).toEqual(expected);
  });

  test.each([
    ["regarding.kind=Pod", ["a"]],
    ["regarding.name=j", ["b"]],
    ["reportingController=rc", ["b"]],
    ["reason=R1", ["a"]],
    ["source=c1", "field label not supported: source"],
    ["involvedObject.name=p", "field label not supported: involvedObject.name"],
    ["note=m", "field label not supported: note"],
  ])("selects events of the newer group by %s", async (selector, expected) => {
    expect(await select(newer(), selector)).toEqual(expected);
  });

  test("changes an event of the core group in the newer one, except what is immutable there", async () => {
    const labels = { a: "1" };
    const labeled = await api.client.call("PATCH", `${newer()}/a`, { metadata: { labels } }, mergePatch);
    expect([labeled.status, labeled.body.metadata.labels]).toEqual([200, labels]);
    for (const change of [{ note: "n" }, { deprecatedCount: 5 }, { deprecatedLastTimestamp: "2020-01-01T00:00:00Z" }]) {
      const { status, body } = await api.client.call("PATCH", `${newer()}/a`, change, mergePatch);
      expect([status, body.message]).toEqual([422, expect.stringContaining("field is immutable")]);
    }
    const { body } = await api.client.call("POST", newer(), {
      apiVersion: "v1",
      kind: "Event",
      metadata: { name: "x" },
    });
    expect(body.message).toBe(
      "the API version in the data (v1) does not match the expected API version (events.k8s.io/v1)",
    );
  });
});
