import { expect, test } from "vitest";
import { testHost } from "../../host/test-host.ts";
import { createMemoryStore } from "../api/memory-store.ts";
import { resolveQuestion } from "./dns-zone.ts";
import { recordTypes } from "./network/dns-message.ts";

const store = createMemoryStore(testHost());
store.create("namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name: "ns" } });
const service = (name: string, spec: object) =>
  store.create("services", { apiVersion: "v1", kind: "Service", metadata: { name, namespace: "ns" }, spec });
const web = { name: "web", port: 80, targetPort: 8080, protocol: "TCP" };
service("front", { clusterIP: "127.90.0.200", ports: [web], selector: { app: "db" } });
service("db", { clusterIP: "None", ports: [web], selector: { app: "db" } });
service("far", { type: "ExternalName", externalName: "example.org." });
service("none", { clusterIP: "None", selector: { app: "none" } });
for (const [name, more] of [
  ["db-0", { hostname: "db-0", subdomain: "db" }],
  ["other", {}],
] as const)
  store.create("pods", {
    ...{ apiVersion: "v1", kind: "Pod", metadata: { name, namespace: "ns", labels: { app: "db" } } },
    ...{ spec: { containers: [{ name: "a" }], ...more }, status: { phase: "Running" } },
  });
const addresses: Readonly<Record<string, string>> = { "db-0": "127.90.0.5", other: "127.90.0.6" };
const options = {
  ...{ store, apiAddress: "127.90.0.1" },
  addressOf: ({ metadata }: { metadata: { name: string } }) => addresses[metadata.name],
};

/** Returns the addresses, targets and ports of a result, or its code. */
function query(name: string, type: keyof typeof recordTypes = "A") {
  const result = resolveQuestion(options, { name, type: recordTypes[type] });
  if (result === undefined || result.code !== 0) return result?.code;
  return result.records.map((record) => {
    if (record.type === "A") return record.address;
    return record.type === "SRV" ? `${record.port} ${record.target}` : record.target;
  });
}

test("resolves services, headless services and external names", () => {
  expect(query("front.ns.svc.cluster.local")).toEqual(["127.90.0.200"]);
  expect(query("FRONT.ns.svc.cluster.local")).toEqual(["127.90.0.200"]);
  expect(query("front.ns.svc.cluster.local", "AAAA")).toEqual([]);
  expect(query("db.ns.svc.cluster.local")).toEqual(["127.90.0.5", "127.90.0.6"]);
  expect(query("db-0.db.ns.svc.cluster.local")).toEqual(["127.90.0.5"]);
  expect(query("127-90-0-6.db.ns.svc.cluster.local")).toEqual(["127.90.0.6"]);
  expect(query("far.ns.svc.cluster.local")).toEqual(["example.org"]);
});

test("resolves ports, addresses and pods", () => {
  expect(query("_web._tcp.front.ns.svc.cluster.local", "SRV")).toEqual(["80 front.ns.svc.cluster.local"]);
  expect(query("_web._tcp.db.ns.svc.cluster.local", "SRV")).toEqual([
    "8080 db-0.db.ns.svc.cluster.local",
    "8080 127-90-0-6.db.ns.svc.cluster.local",
  ]);
  expect(query("5.0.90.127.in-addr.arpa", "PTR")).toEqual(["db-0.db.ns.svc.cluster.local"]);
  expect(query("200.0.90.127.in-addr.arpa", "PTR")).toEqual(["front.ns.svc.cluster.local"]);
  expect(query("1-2-3-4.ns.pod.cluster.local")).toEqual(["1.2.3.4"]);
});

test("denies other names of the cluster, and leaves the rest to other servers", () => {
  expect(query("none.ns.svc.cluster.local")).toBe(3);
  expect(query("nope.ns.svc.cluster.local")).toBe(3);
  expect(query("x.front.ns.svc.cluster.local")).toBe(3);
  expect(query("example.org.ns.svc.cluster.local")).toBe(3);
  expect(query("ns.svc.cluster.local")).toEqual([]);
  expect(query("example.org")).toBeUndefined();
  expect(query("4.4.8.8.in-addr.arpa", "PTR")).toEqual(undefined);
});
