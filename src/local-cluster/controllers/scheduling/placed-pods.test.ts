import { expect, test } from "vitest";
import { testHost } from "../../../host/test-host.ts";
import { printQuantity } from "../../../values/quantity.ts";
import { createMemoryStore } from "../../api/memory-store.ts";
import { followPlacedPods, type PlacedPods } from "./placed-pods.ts";

const antiAffinity = {
  podAntiAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: [
      { labelSelector: { matchLabels: { app: "a" } }, topologyKey: "kubernetes.io/hostname" },
    ],
  },
};

function pod(name: string, { cpu = "500m", nodeName = "", spec = {} } = {}): object {
  return {
    ...{ apiVersion: "v1", kind: "Pod", metadata: { name, namespace: "default" } },
    spec: {
      containers: [{ name: "a", resources: { requests: { cpu } } }],
      ...(nodeName === "" ? {} : { nodeName }),
      ...spec,
    },
    status: { phase: "Pending" },
  };
}

function follow() {
  const store = createMemoryStore(testHost());
  store.create("pods", pod("before", { nodeName: "n1" }));
  const placed = followPlacedPods(store);
  const change = (name: string, fields: object) =>
    store.update("pods", "default", name, (current) => ({ ...current, ...fields }));
  return { store, placed, change };
}

function listed(placed: PlacedPods, node: string) {
  const { pods, requested } = placed.on(node);
  const cpu = requested.get("cpu");
  return [
    [...pods.values()].map(({ metadata }) => metadata.name).sort(),
    cpu === undefined ? undefined : printQuantity(cpu),
  ];
}

test("counts existing pods and newly bound ones", () => {
  const { store, placed, change } = follow();
  expect(listed(placed, "n1")).toEqual([["before"], "500m"]);
  store.create("pods", pod("waits"));
  expect(listed(placed, "n1")).toEqual([["before"], "500m"]);
  change("waits", { spec: { ...Object(pod("waits", { nodeName: "n1" })).spec } });
  expect(listed(placed, "n1")).toEqual([["before", "waits"], "1"]);
  expect(listed(placed, "n2")).toEqual([[], undefined]);
});

test("releases the resources of pods that finish, are deleted, or request less", () => {
  const { store, placed, change } = follow();
  store.create("pods", pod("two", { nodeName: "n1", cpu: "2" }));
  expect(listed(placed, "n1")).toEqual([["before", "two"], "2500m"]);
  change("two", { spec: Object(pod("two", { nodeName: "n1", cpu: "1" })).spec });
  expect(listed(placed, "n1")).toEqual([["before", "two"], "1500m"]);
  change("two", { status: { phase: "Running" } });
  expect(listed(placed, "n1")).toEqual([["before", "two"], "1500m"]);
  change("two", { status: { phase: "Failed" } });
  expect(listed(placed, "n1")).toEqual([["before"], "500m"]);
  store.remove("pods", "default", "two");
  store.remove("pods", "default", "before");
  expect(listed(placed, "n1")).toEqual([[], undefined]);
  expect([...placed.all()]).toEqual([]);
});

test("distinguishes pods with the same name", () => {
  const { store, placed } = follow();
  store.remove("pods", "default", "before");
  store.create("pods", pod("before", { nodeName: "n2", cpu: "3" }));
  expect(listed(placed, "n1")).toEqual([[], undefined]);
  expect(listed(placed, "n2")).toEqual([["before"], "3"]);
});

test("lists pods with anti-affinity", () => {
  const { store, placed } = follow();
  store.create("pods", pod("lonely", { nodeName: "n1", spec: { affinity: antiAffinity } }));
  expect([...placed.withAntiAffinity()].map(({ metadata }) => metadata.name)).toEqual(["lonely"]);
  store.remove("pods", "default", "lonely");
  expect([...placed.withAntiAffinity()]).toEqual([]);
});

test("no longer updates after stop", () => {
  const { store, placed } = follow();
  placed.stop();
  store.remove("pods", "default", "before");
  expect(listed(placed, "n1")).toEqual([["before"], "500m"]);
});
