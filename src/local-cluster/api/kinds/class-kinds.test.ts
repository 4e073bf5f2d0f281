import { describe, expect, test } from "vitest";
import { type TestApi, testApi } from "../../test-api.ts";

async function post(api: TestApi, path: string, body: object) {
  return JSON.parse(await (await api.call("POST", path, { body })).text());
}

const ingressClasses = "/apis/networking.k8s.io/v1/ingressclasses";
const runtimeClasses = "/apis/node.k8s.io/v1/runtimeclasses";

describe("an IngressClass", () => {
  test("gets a scope for its parameters", async () => {
    const parameters = { kind: "Settings", name: "x", apiGroup: "example.com" };
    const spec = { controller: "example.com/ingress", parameters };
    expect((await post(testApi(), ingressClasses, { metadata: { name: "c" }, spec })).spec.parameters.scope).toBe(
      "Cluster",
    );
  });

  test.each<[object, string]>([
    [{}, "spec.controller: Required value"],
    [{ controller: "ingress" }, "must be a domain-prefixed path"],
    [
      { controller: "a.b/c", parameters: { kind: "K", name: "n", scope: "Namespace" } },
      "spec.parameters.namespace: Required",
    ],
    [
      { controller: "a.b/c", parameters: { kind: "K", name: "n", namespace: "x" } },
      "spec.parameters.namespace: Forbidden",
    ],
    [
      { controller: "a.b/c", parameters: { kind: "", name: "n", scope: "x" } },
      'supported values: "Cluster", "Namespace"',
    ],
  ])("%j is rejected", async (spec, message) => {
    expect((await post(testApi(), ingressClasses, { metadata: { name: "c" }, spec })).message).toContain(message);
  });
});

describe("a RuntimeClass", () => {
  const pod = (spec: object) => ({
    metadata: { name: "p" },
    spec: { containers: [{ name: "a", image: "x:1" }], runtimeClassName: "r", ...spec },
  });
  const pods = "/api/v1/namespaces/default/pods";

  test("gives its pods overhead, node selector and tolerations", async () => {
    const api = testApi();
    const scheduling = { nodeSelector: { vm: "yes" }, tolerations: [{ key: "vm", operator: "Exists" }] };
    const overhead = { podFixed: { cpu: "10m" } };
    await post(api, runtimeClasses, { metadata: { name: "r" }, handler: "h", overhead, scheduling });
    expect((await post(api, pods, pod({}))).spec).toMatchObject({
      overhead: { cpu: "10m" },
      nodeSelector: { vm: "yes" },
      tolerations: expect.arrayContaining([{ key: "vm", operator: "Exists" }]),
    });
    expect((await post(api, pods, pod({ overhead: { cpu: "20m" } }))).message).toContain(
      "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead",
    );
    expect((await post(api, pods, pod({ nodeSelector: { vm: "no" } }))).message).toContain(
      "conflict: runtimeClass.scheduling.nodeSelector[vm] = yes; pod.spec.nodeSelector[vm] = no",
    );
  });

  test("must exist", async () => {
    expect((await post(testApi(), pods, pod({}))).message).toContain('pod rejected: RuntimeClass "r" not found');
  });

  test("has a valid handler that does not change", async () => {
    const api = testApi();
    const invalid = await post(api, runtimeClasses, { metadata: { name: "r" }, handler: "A B" });
    expect(invalid.message).toContain('handler: Invalid value: "A B": a lowercase RFC 1123 label');
    const { metadata } = await post(api, runtimeClasses, { metadata: { name: "r" }, handler: "h" });
    const body = { metadata, handler: "i" };
    const changed = await api.call("PUT", `${runtimeClasses}/r`, { body });
    expect(JSON.parse(await changed.text()).message).toContain('handler: Invalid value: "i": field is immutable');
  });
});
