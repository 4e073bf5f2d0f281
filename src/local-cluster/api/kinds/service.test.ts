import { describe, expect, test } from "vitest";
import { testApi } from "../../test-api.ts";

const path = "/api/v1/namespaces/default/services";

async function create(api: ReturnType<typeof testApi>, name: string, spec: object) {
  const ports = [{ port: 80 }];
  const body = { apiVersion: "v1", kind: "Service", metadata: { name }, spec: { ports, ...spec } };
  return JSON.parse(await (await api.call("POST", path, { body })).text());
}

describe("a service", () => {
  test("gets an address of its own, and a released one when no other is free", async () => {
    const api = testApi();
    const [first, second] = [await create(api, "a", {}), await create(api, "b", {})];
    expect(first.spec).toMatchObject({
      clusterIP: "127.90.0.200",
      clusterIPs: ["127.90.0.200"],
      type: "ClusterIP",
      sessionAffinity: "None",
      ports: [{ port: 80, protocol: "TCP", targetPort: 80 }],
    });
    expect(second.spec.clusterIP).toBe("127.90.0.201");
    await api.call("DELETE", `${path}/a`);
    const allocated: string[] = [];
    while (allocated.at(-1) !== "127.90.0.200" && allocated.length < 256)
      allocated.push((await create(api, `c${allocated.length}`, {})).spec.clusterIP);
    expect(allocated[0]).toBe("127.90.0.202");
    expect(allocated.at(-1)).toBe("127.90.0.200");
  });

  test("can be headless", async () => {
    expect((await create(testApi(), "a", { clusterIP: "None" })).spec).toMatchObject({
      clusterIP: "None",
      clusterIPs: ["None"],
    });
  });

  test("cannot have an address that is in use or outside of the cluster's range", async () => {
    const api = testApi();
    await create(api, "a", { clusterIP: "127.90.0.210" });
    for (const [clusterIP, fault] of [
      ["127.90.0.210", "provided IP is already allocated"],
      ["10.0.0.1", "the provided network does not match the current range"],
    ] as const) {
      expect((await create(api, "b", { clusterIP })).message).toContain(fault);
    }
  });

  test("gets node ports if its type requires them", async () => {
    const api = testApi();
    const { spec } = await create(api, "a", {
      type: "NodePort",
      ports: [
        { port: 1, name: "x" },
        { port: 2, name: "y" },
      ],
    });
    expect(spec.ports).toMatchObject([{ nodePort: 30_000 }, { nodePort: 30_001 }]);
  });

  test("gets an address of the second range when the first is full, and is rejected when both are", async () => {
    const api = testApi();
    for (let count = 200; count <= 254; count++) await create(api, `s${count}`, {});
    expect(await create(api, "s255", {})).toMatchObject({ spec: { clusterIP: "127.218.0.1" } });
    for (let count = 256; count <= 508; count++) await create(api, `s${count}`, {});
    expect(await create(api, "last", {})).toMatchObject({ status: "Failure" });
  });
});
