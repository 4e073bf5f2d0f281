import { describe } from "vitest";
import { podClusters } from "../pod-cluster.ts";
import { isTerminated, sh } from "../test-namespace.ts";
import { podChecks } from "./pod-checks.ts";

describe.each(podClusters())("pods of $name", { concurrent: true }, (cluster) => {
  const check = podChecks(cluster);

  check("98 variables are resolved in order, from all their sources", async (space, { expect }) => {
    await space.create("configmaps", { kind: "ConfigMap", metadata: { name: "c" }, data: { K: "v" } });
    await space.pod("p", {
      containers: [
        sh("a", "env | sort", {
          resources: { limits: { memory: "100Mi" }, requests: { cpu: "250m" } },
          envFrom: [{ prefix: "PRE_", configMapRef: { name: "c" } }],
          env: [
            { name: "A", value: "1" },
            { name: "B", value: "b-$(A)-$(LATER)-$$(A)-$(PRE_K)" },
            { name: "LATER", value: "2" },
            { name: "NAME", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
            { name: "IP", valueFrom: { fieldRef: { fieldPath: "status.podIP" } } },
            { name: "CPU", valueFrom: { resourceFieldRef: { resource: "requests.cpu" } } },
            {
              name: "MEMORY",
              valueFrom: { resourceFieldRef: { resource: "limits.memory", divisor: "1Mi" } },
            },
          ],
        }),
      ],
    });
    const { status } = await space.until("p", isTerminated);
    const env = new Set((await space.log("p")).split("\n"));
    const expected = [
      "A=1",
      "B=b-1-$(LATER)-$(A)-v",
      "NAME=p",
      `IP=${status?.podIP}`,
      "CPU=1",
      "MEMORY=100",
      "PRE_K=v",
    ];
    for (const line of [...expected, "HOSTNAME=p"]) expect(env).toContain(line);
    expect([...env].filter((line) => /^KUBERNETES_SERVICE_(HOST|PORT)=/.test(line))).toHaveLength(2);
  });

  check("100 the hosts file has the pod's own name, its aliases and its full name", async (space, { expect }) => {
    await space.pod("p", {
      ...{
        hostname: "me",
        subdomain: "sub",
        hostAliases: [{ ip: "10.9.8.7", hostnames: ["far", "away"] }],
      },
      containers: [sh("a", "cat /etc/hosts; hostname")],
    });
    const { status } = await space.until("p", isTerminated);
    const lines = (await space.log("p")).split("\n");
    if (cluster.isolates) {
      expect(lines).toContain(`${status?.podIP}\tme.sub.${space.namespace}.svc.cluster.local\tme`);
      expect(lines).toContain("10.9.8.7\tfar\taway");
      expect(lines.at(-2)).toBe("me");
    }
  });
});
