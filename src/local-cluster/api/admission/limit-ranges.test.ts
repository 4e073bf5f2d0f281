import { describe, expect, test } from "vitest";
import { type TestApi, testApi } from "../../test-api.ts";

const namespace = "/api/v1/namespaces/default";

async function limit(api: TestApi, ...limits: object[]) {
  const body = { apiVersion: "v1", kind: "LimitRange", metadata: { name: "l" }, spec: { limits } };
  const response = await api.call("POST", `${namespace}/limitranges`, { body });
  return JSON.parse(await response.text());
}

async function run(api: TestApi, resources: object) {
  const spec = { containers: [{ name: "a", image: "x:1", resources }] };
  const body = { apiVersion: "v1", kind: "Pod", metadata: { name: "p" }, spec };
  return JSON.parse(await (await api.call("POST", `${namespace}/pods`, { body })).text());
}

describe("a limit range", () => {
  test("sets missing requests and limits of containers, and lists them in an annotation", async () => {
    const api = testApi();
    await limit(api, { type: "Container", default: { cpu: "1" }, defaultRequest: { memory: "1Gi" } });
    const pod = await run(api, { requests: { cpu: "200m" } });
    expect(pod.spec.containers[0].resources).toEqual({
      limits: { cpu: "1" },
      requests: { cpu: "200m", memory: "1Gi" },
    });
    expect(pod.metadata.annotations["kubernetes.io/limit-ranger"]).toBe(
      "LimitRanger plugin set: memory request for container a; cpu limit for container a",
    );
  });

  test("uses maximums as default limits, and those as default requests", async () => {
    const { spec } = await limit(testApi(), { type: "Container", max: { cpu: "2" }, min: { memory: "1Mi" } });
    expect(spec.limits[0]).toMatchObject({
      default: { cpu: "2" },
      defaultRequest: { cpu: "2", memory: "1Mi" },
    });
  });

  test("rejects pods outside of it", async () => {
    const api = testApi();
    await limit(api, { type: "Pod", max: { memory: "1Gi" }, min: { cpu: "1" } });
    expect((await run(api, { limits: { memory: "2Gi", cpu: "500m" } })).message).toBe(
      'pods "p" is forbidden: [minimum cpu usage per Pod is 1, but request is 500m, maximum memory usage per Pod is 1Gi, but ' +
        "limit is 2Gi]",
    );
    expect((await run(api, { limits: { cpu: "1" } })).message).toContain("No limit is specified");
  });

  test("is rejected when it contradicts itself", async () => {
    const { message } = await limit(testApi(), { type: "Container", max: { cpu: "1" }, min: { cpu: "2" } });
    expect(message).toContain("min value 2 is greater than max value 1");
  });
});
