import { expect, test } from "vitest";
import { testApi } from "../../test-api.ts";

const scalePath = "/apis/apps/v1/namespaces/default/replicasets/three/scale";

async function clusterWithSet() {
  const labels = { app: "three" };
  const { call, scope } = testApi();
  const template = { metadata: { labels }, spec: { containers: [{ name: "a", image: "a" }] } };
  const body = {
    ...{ apiVersion: "apps/v1", kind: "ReplicaSet", metadata: { name: "three" } },
    spec: { replicas: 3, selector: { matchLabels: labels }, template },
  };
  expect((await call("POST", "/apis/apps/v1/namespaces/default/replicasets", { body })).status).toBe(201);
  const patch = async (type: string, patchBody: unknown) => {
    const headers = { "content-type": `application/${type}` };
    const response = await call("PATCH", scalePath, { body: patchBody, headers });
    return { status: response.status, body: JSON.parse(await response.text()) };
  };
  const replicas = () => {
    const set = scope.store.get("replicasets.apps", "default", "three");
    return Object(set?.["spec"]).replicas;
  };
  return { patch, replicas };
}

test("a patch of the scale sets the number of replicas", async () => {
  const { patch, replicas } = await clusterWithSet();
  const { status, body } = await patch("merge-patch+json", { spec: { replicas: 5 } });
  expect([status, body.spec]).toEqual([200, { replicas: 5 }]);
  expect(replicas()).toBe(5);
});

test.each([
  ["merge-patch+json", { spec: { replicas: "five" } }],
  ["merge-patch+json", { spec: "five" }],
  ["strategic-merge-patch+json", { spec: { replicas: "five" } }],
  ["json-patch+json", [{ op: "replace", path: "/spec/replicas", value: "five" }]],
])("a patch (%s) of the scale with an invalid number is rejected and changes nothing", async (type, operations) => {
  const { patch, replicas } = await clusterWithSet();
  const { status, body } = await patch(type, operations);
  expect([status, body.reason]).toEqual([422, "Invalid"]);
  expect(body.message).toContain("patch: Invalid value");
  expect(replicas()).toBe(3);
});
