import { describe, expect, test } from "vitest";
import { targets } from "../target.ts";
import { apiNamespace } from "./api-namespace.ts";
import { mergePatch } from "./objects.ts";

const ports = [{ port: 80 }];
const twoPorts = (first: object, second: object) => [
  { port: 80, name: "a", ...first },
  { port: 81, name: "b", ...second },
];

/** Specifications that are rejected, with the field and the message. */
const rejected: readonly (readonly [spec: object, error: string])[] = [
  [
    { type: "X", ports },
    'spec.type: Unsupported value: "X": supported values: "ClusterIP", "ExternalName", "LoadBalancer", "NodePort"',
  ],
  [{}, "spec.ports: Required value"],
  [{ type: "ExternalName" }, "spec.externalName: Required value"],
  [
    { type: "NodePort", clusterIP: "None", ports },
    "spec.clusterIPs[0]: Invalid value: \"None\": may not be set to 'None' for NodePort services",
  ],
  [{ ports: [{ port: 0 }] }, "spec.ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive"],
  [
    { ports: [{ port: 80, protocol: "tcp" }] },
    'spec.ports[0].protocol: Unsupported value: "tcp": supported values: "SCTP", "TCP", "UDP"',
  ],
  [{ ports: [{ port: 80 }, { port: 81 }] }, "spec.ports[0].name: Required value"],
  [{ ports: twoPorts({}, { name: "a" }) }, 'spec.ports[1].name: Duplicate value: "a"'],
  [
    { ports: [{ port: 80, nodePort: 30_000 }] },
    "spec.ports[0].nodePort: Forbidden: may not be used when `type` is 'ClusterIP'",
  ],
  [
    { type: "NodePort", ports: [{ port: 80, nodePort: 1 }] },
    "spec.ports[0].nodePort: Invalid value: 1: provided port is not in the valid range. The range of valid ports is 30000-32767",
  ],
  [
    { type: "NodePort", ports: twoPorts({ nodePort: 31_777 }, { nodePort: 31_777 }) },
    "spec.ports[1].nodePort: Invalid value: 31777: provided port is already allocated",
  ],
  [
    { clusterIPs: ["None"], ports },
    'spec.clusterIPs: Invalid value: ["None"]: must be empty when `clusterIP` is not specified',
  ],
  [
    { clusterIP: "None", clusterIPs: ["1.2.3.4"], ports },
    'spec.clusterIPs: Invalid value: ["1.2.3.4"]: first value must match `clusterIP`',
  ],
  [{ clusterIP: "::1", ports }, 'spec.clusterIPs[0]: Invalid value: ["::1"]: IPv6 is not configured on this cluster'],
  [{ ipFamilies: ["IPv6"], ports }, 'spec.ipFamilies[0]: Invalid value: "IPv6": not configured on this cluster'],
  [{ ipFamilies: ["IPv4", "IPv4"], ports }, 'spec.ipFamilies[1]: Duplicate value: "IPv4"'],
  [
    { ipFamilyPolicy: "RequireDualStack", ports },
    'spec.ipFamilyPolicy: Invalid value: "RequireDualStack": this cluster is not configured for dual-stack services',
  ],
  [
    { externalIPs: ["0.0.0.0"], ports },
    'spec.externalIPs[0]: Invalid value: "0.0.0.0": may not be unspecified (0.0.0.0)',
  ],
  [
    { sessionAffinity: "X", ports },
    'spec.sessionAffinity: Unsupported value: "X": supported values: "ClientIP", "None"',
  ],
  [
    { externalTrafficPolicy: "Local", ports },
    'spec.externalTrafficPolicy: Invalid value: "Local": may only be set for externally-accessible services',
  ],
  [
    { trafficDistribution: "X", ports },
    'spec.trafficDistribution: Unsupported value: "X": supported values: "PreferClose", "PreferSameZone", "PreferSameNode"',
  ],
  [
    { loadBalancerSourceRanges: ["1.2.3.4"], ports },
    "spec.LoadBalancerSourceRanges: Forbidden: may only be used when `type` is 'LoadBalancer'",
  ],
];

describe.each(targets())("$name", ({ open }) => {
  const api = apiNamespace(open);
  const create = (spec: object, name = "s") =>
    api.client.call("POST", `${api.base}/services`, {
      ...{ apiVersion: "v1", kind: "Service", metadata: { name } },
      spec,
    });

  test("rejects invalid services with Kubernetes' messages", async () => {
    for (const [spec, error] of rejected) {
      const { status, body } = await create(spec);
      expect([status, body.details.causes?.map(({ field, message }) => `${field}: ${message}`)]).toEqual([
        422,
        expect.arrayContaining([error]),
      ]);
    }
  });

  test("warns of a deprecated traffic distribution", async () => {
    const { headers } = await create({ ports, trafficDistribution: "PreferClose" });
    expect(headers["warning"]).toContain('\\"PreferClose\\" is deprecated; use \\"PreferSameZone\\"');
  });

  test("keeps its address and the family of the address", async () => {
    const { body } = await create({ ports });
    const path = `${api.base}/services/s`;
    const other = await api.client.call("PATCH", path, { spec: { clusterIP: "None" } }, mergePatch);
    expect([other.status, other.body.details.causes?.[0]?.message]).toEqual([
      422,
      expect.stringContaining("may not change once set"),
    ]);
    const { clusterIP } = body.spec;
    const family = await api.client.call("PATCH", path, { spec: { ipFamilies: ["IPv6"] } }, mergePatch);
    expect(family.body.details.causes?.map(({ field, message }) => `${field}: ${message}`)).toContain(
      `spec.clusterIPs[0]: Invalid value: "${clusterIP}": expected an IPv6 value as indicated by \`ipFamilies[0]\``,
    );
  });

  test("checks the status of a load balancer, and gives it a port for health checks", async () => {
    await create({ type: "LoadBalancer", ports, externalTrafficPolicy: "Local" });
    const path = `${api.base}/services/s`;
    const { body } = await api.client.call("GET", path);
    expect(body.spec).toMatchObject({ healthCheckNodePort: expect.any(Number) });
    const ingress = [{ ip: "x" }, { hostname: "1.2.3.4" }, { ip: "1.2.3.4", ipMode: "X" }];
    const { status, body: rejection } = await api.client.call(
      ...(["PATCH", `${path}/status`] as const),
      { status: { loadBalancer: { ingress } } },
      mergePatch,
    );
    expect([status, rejection.details.causes?.map(({ field }) => field)]).toEqual([
      422,
      [0, 1, 2].map((index) => `status.loadBalancer.ingress[${index}].${["ip", "hostname", "ipMode"][index]}`),
    ]);
  });
});
