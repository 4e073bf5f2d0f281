import { describe, expect, test } from "vitest";
import { type TestApi, testApi } from "../../test-api.ts";

const ready = [{ type: "Ready", status: "True" }];

async function service(api: TestApi, spec: object = {}): Promise<void> {
  const ports = [{ name: "rpc", port: 80, targetPort: "http" }];
  const all = { clusterIP: "None", selector: { app: "x" }, ports, ...spec };
  const body = { apiVersion: "v1", kind: "Service", metadata: { name: "s" }, spec: all };
  await api.call("POST", "/api/v1/namespaces/default/services", { body });
  await api.host.advance(1);
}

function pod(
  api: TestApi,
  name: string,
  { podIP = "1.2.3.4", conditions = ready, ...spec }: Record<string, unknown> = {},
) {
  api.scope.store.create("nodes", { apiVersion: "v1", kind: "Node", metadata: { name: "n" } });
  const containers = [{ name: "a", ports: [{ name: "http", containerPort: 8080 }] }];
  return api.put("pods", {
    ...{ apiVersion: "v1", kind: "Pod", metadata: { name, namespace: "default", labels: { app: "x" } } },
    spec: { nodeName: "n", containers, ...spec },
    status: { phase: "Running", podIP, conditions },
  });
}

function slices(api: TestApi) {
  return api.scope.store
    .list("endpointslices.discovery.k8s.io")
    .filter(({ metadata }) => metadata.labels?.["kubernetes.io/service-name"] === "s");
}

describe("the endpoints of a service", () => {
  test("are its pods and the ports that they name", async () => {
    const api = testApi();
    await service(api);
    expect(slices(api)).toMatchObject([{ endpoints: null, ports: null, addressType: "IPv4" }]);
    const { uid } = pod(api, "p", { hostname: "h", subdomain: "s" }).metadata;
    await api.host.advance(1);
    const targetRef = { kind: "Pod", namespace: "default", name: "p", uid };
    expect(slices(api)).toMatchObject([
      {
        endpoints: [
          {
            ...{ addresses: ["1.2.3.4"], hostname: "h", nodeName: "n", targetRef },
            conditions: { ready: true, serving: true, terminating: false },
          },
        ],
        ports: [{ name: "rpc", port: 8080, protocol: "TCP" }],
      },
    ]);
    expect(api.scope.store.get("endpoints", "default", "s")).toMatchObject({
      subsets: [{ addresses: [{ ip: "1.2.3.4", targetRef }], ports: [{ name: "rpc", port: 8080 }] }],
    });
  });

  test("are written again if others delete them", async () => {
    const api = testApi();
    await service(api);
    pod(api, "p");
    await api.host.advance(1);
    const [first] = slices(api);
    api.scope.store.remove("endpointslices.discovery.k8s.io", "default", first?.metadata.name ?? "");
    api.scope.store.remove("endpoints", "default", "s");
    await api.host.advance(1);
    expect(slices(api)).toMatchObject([{ endpoints: [{ addresses: ["1.2.3.4"] }] }]);
    expect(api.scope.store.get("endpoints", "default", "s")).toMatchObject({
      subsets: [{ addresses: [{ ip: "1.2.3.4" }] }],
    });
  });

  test("may be loopback addresses of the cluster's network", async () => {
    const api = testApi();
    await service(api);
    pod(api, "p", { podIP: "127.90.0.7" });
    await api.host.advance(1);
    expect(slices(api)).toMatchObject([{ endpoints: [{ addresses: ["127.90.0.7"] }] }]);
    const subsets = [{ addresses: [{ ip: "127.90.0.7" }] }];
    expect(api.scope.store.get("endpoints", "default", "s")).toMatchObject({ subsets });
    const body = { metadata: { name: "other" }, subsets: [{ addresses: [{ ip: "127.0.0.1" }] }] };
    expect(await api.call("POST", "/api/v1/namespaces/default/endpoints", { body })).toMatchObject({
      status: 422,
    });
  });

  test("that are not ready are listed separately, unless the service publishes them", async () => {
    const api = testApi();
    await service(api);
    pod(api, "p", { conditions: [] });
    await api.host.advance(1);
    expect(slices(api)).toMatchObject([{ endpoints: [{ conditions: { ready: false } }] }]);
    expect(api.scope.store.get("endpoints", "default", "s")).toMatchObject({
      subsets: [{ notReadyAddresses: [{}] }],
    });
    const body = { spec: { publishNotReadyAddresses: true } };
    const headers = { "content-type": "application/merge-patch+json" };
    await api.call("PATCH", "/api/v1/namespaces/default/services/s", { body, headers });
    await api.host.advance(1);
    expect(slices(api)).toMatchObject([{ endpoints: [{ conditions: { ready: true, serving: false } }] }]);
  });

  test("exclude finished pods", async () => {
    const api = testApi();
    await service(api);
    pod(api, "p");
    await api.host.advance(1);
    api.scope.store.update("pods", "default", "p", (current) => ({
      ...current,
      status: { phase: "Succeeded" },
    }));
    await api.host.advance(1);
    expect(slices(api)).toMatchObject([{ endpoints: null }]);
  });

  test("are written in slices of 100", async () => {
    const api = testApi();
    await service(api);
    for (let count = 0; count < 150; count++) pod(api, `p${count}`, { podIP: `10.0.0.${count}` });
    await api.host.advance(1);
    const sizes = slices(api).map(({ endpoints }) => (Array.isArray(endpoints) ? endpoints.length : 0));
    expect(sizes.sort()).toEqual([100, 50]);
  });

  test("are deleted with the service", async () => {
    const api = testApi();
    await service(api);
    await api.call("DELETE", "/api/v1/namespaces/default/services/s");
    await api.host.advance(1);
    expect(slices(api)).toEqual([]);
    expect(api.scope.store.get("endpoints", "default", "s")).toBeUndefined();
  });
});
