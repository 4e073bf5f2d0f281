import { describe, expect, test } from "vitest";
import { type TestApi, testApi } from "../../test-api.ts";

const base = "/api/v1/namespaces/default";
const ports = [{ name: "http", port: 80 }];

async function create(endpoints: object, service: object = {}): Promise<TestApi> {
  const api = testApi();
  const spec = { ports: [{ port: 80 }], ...service };
  await api.call("POST", `${base}/services`, { body: { metadata: { name: "s" }, spec } });
  const { status } = await api.call("POST", `${base}/endpoints`, { body: { metadata: { name: "s" }, ...endpoints } });
  expect(status).toBe(201);
  await api.host.advance(1);
  return api;
}

function slices(api: TestApi) {
  return api.scope.store
    .list("endpointslices.discovery.k8s.io", "default")
    .filter(({ metadata }) => metadata.labels?.["kubernetes.io/service-name"] === "s");
}

describe("Endpoints of a service without a selector", () => {
  test("are mirrored, changed and deleted", async () => {
    const labels = { app: "x" };
    const annotations = { a: "1", "kubectl.kubernetes.io/last-applied-configuration": "{}" };
    const subsets = [
      { addresses: [{ ip: "10.0.0.1", hostname: "h" }], notReadyAddresses: [{ ip: "10.0.0.2" }], ports },
    ];
    const api = await create({ metadata: { name: "s", labels, annotations }, subsets });
    expect(slices(api)).toMatchObject([
      {
        metadata: {
          annotations: { a: "1" },
          labels: { app: "x", "endpointslice.kubernetes.io/managed-by": "endpointslicemirroring-controller.k8s.io" },
          ownerReferences: [{ apiVersion: "v1", kind: "Endpoints", name: "s", controller: true }],
        },
        addressType: "IPv4",
        endpoints: [
          { addresses: ["10.0.0.1"], hostname: "h", conditions: { ready: true } },
          { addresses: ["10.0.0.2"], conditions: { ready: false } },
        ],
        ports: [{ name: "http", port: 80, protocol: "TCP" }],
      },
    ]);
    const body = { subsets: [{ addresses: [{ ip: "10.0.0.3" }, { ip: "fd00::1" }], ports }] };
    const headers = { "content-type": "application/merge-patch+json" };
    const [before] = slices(api);
    await api.call("PATCH", `${base}/endpoints/s`, { body, headers });
    await api.host.advance(1);
    expect(
      slices(api)
        .map(({ addressType }) => addressType)
        .sort(),
    ).toEqual(["IPv4", "IPv6"]);
    expect(slices(api).map(({ metadata }) => metadata.uid)).toContain(before?.metadata.uid);
    await api.call("DELETE", `${base}/endpoints/s`);
    await api.host.advance(1);
    expect(slices(api)).toEqual([]);
  });

  test("are mirrored up to 1000 addresses", async () => {
    const addresses = Array.from({ length: 1_001 }, (_, index) => ({ ip: `10.0.${index >> 8}.${index & 255}` }));
    const api = await create({ subsets: [{ addresses, ports }] });
    expect(slices(api).map(({ endpoints }) => Object(endpoints).length)).toEqual([1_000]);
    expect(api.scope.store.list("events", "default").map(({ reason }) => reason)).toEqual(["TooManyAddressesToMirror"]);
  });

  test.each([
    ["a label that skips them", { "endpointslice.kubernetes.io/skip-mirror": "true" }, {}],
    ["an annotation of leader election", {}, { "control-plane.alpha.kubernetes.io/leader": "{}" }],
  ])("are not mirrored with %s", async (_what, labels, annotations) => {
    const subsets = [{ addresses: [{ ip: "10.0.0.1" }], ports }];
    const api = await create({ metadata: { name: "s", labels, annotations }, subsets });
    expect(slices(api)).toEqual([]);
  });
});
