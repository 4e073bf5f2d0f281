import { describe, expect, test } from "vitest";
import { testHost } from "../../host/test-host.ts";
import { createMemoryStore } from "../api/memory-store.ts";
import { networkNames } from "./network-names.ts";
import { isPod, type StoredPod } from "./stored-object.ts";

function cluster() {
  const host = testHost();
  const store = createMemoryStore(host);
  const names = networkNames({
    ...{ host, store, apiAddress: "127.90.3.1", aliases: [], isFake: false },
    machineFor: () => [["127.0.1.1", "laptop.lan", "laptop"]],
  });
  host.files.makeDirectory("/hosts");
  function pod(name: string, spec: object = {}, labels: Record<string, string> = {}): StoredPod {
    const created = store.create("pods", {
      ...{ apiVersion: "v1", kind: "Pod" },
      metadata: { name, namespace: "ns", labels },
      spec: { containers: [{ name: "a" }], ...spec },
      status: { phase: "Pending" },
    });
    if (created === undefined || !isPod(created)) throw new Error(name);
    names.assign(created, `/hosts/${name}`);
    return created;
  }
  function service(name: string, spec: object, namespace = "ns") {
    const metadata = { name, namespace };
    store.create("services", { apiVersion: "v1", kind: "Service", metadata, spec });
  }
  const hosts = (name: string) =>
    (host.files.readText(`/hosts/${name}`) ?? "")
      .split("\n")
      .filter((line) => /^127\.90/.test(line))
      .map((line) => line.replaceAll("\t", " "));
  return { host, store, names, pod, service, hosts };
}
const api = "127.90.3.1 kubernetes.default kubernetes.default.svc kubernetes.default.svc.cluster.local";

describe("a pod's hosts file", () => {
  test("contains the pod, its aliases and the API", () => {
    const { pod, hosts } = cluster();
    pod("p", { hostname: "h", subdomain: "s", hostAliases: [{ ip: "127.90.9.9", hostnames: ["x", "y"] }] });
    expect(hosts("p")).toEqual(["127.90.3.2 h.s.ns.svc.cluster.local h", "127.90.9.9 x y", api]);
  });

  test("starts with Kubernetes' line, which differs for pods in the node's network", () => {
    const { host, pod } = cluster();
    pod("p");
    pod("q", { hostNetwork: true });
    const firstLine = (name: string) => host.files.readText(`/hosts/${name}`)?.split("\n")[0];
    expect(firstLine("p")).toBe("# Kubernetes-managed hosts file.");
    expect(firstLine("q")).toBe("# Kubernetes-managed hosts file (host network).");
  });

  test("contains this machine's names except those used in the cluster", () => {
    const { host, pod } = cluster();
    pod("p");
    pod("laptop");
    expect(host.files.readText("/hosts/p")).toContain("127.0.1.1\tlaptop.lan\tlaptop\n");
    expect(host.files.readText("/hosts/laptop")).toContain("127.0.1.1\tlaptop.lan\n");
  });

  test("gains a headless service with its pods, including a starting one, by appending", async () => {
    const { host, pod, service, hosts } = cluster();
    pod("driver", {}, { role: "driver" });
    const before = host.files.readText("/hosts/driver") ?? "";
    service("svc", { clusterIP: "None", selector: { role: "driver" } });
    await host.advance(1);
    expect(hosts("driver")).toContain("127.90.3.2 svc svc.ns svc.ns.svc svc.ns.svc.cluster.local");
    expect(host.files.readText("/hosts/driver")?.startsWith(before)).toBe(true);
  });

  test("loses a pod that has ended", async () => {
    const { host, store, pod, service, hosts } = cluster();
    pod("one", {}, { app: "x" });
    pod("two", {}, { app: "x" });
    service("svc", { clusterIP: "None", selector: { app: "x" } });
    await host.advance(1);
    const addresses = () =>
      hosts("one")
        .filter((line) => line.includes(" svc "))
        .map((line) => line.split(" ")[0]);
    expect(addresses()).toEqual(["127.90.3.2", "127.90.3.3"]);
    store.update("pods", "ns", "two", (current) => ({ ...current, status: { phase: "Succeeded" } }));
    await host.advance(1);
    expect(addresses()).toEqual(["127.90.3.2"]);
  });

  test("omits pods that are not ready unless the service publishes them", async () => {
    const { host, pod, service, hosts } = cluster();
    pod("p", { containers: [{ name: "a", readinessProbe: {} }] }, { app: "x" });
    service("strict", { clusterIP: "None", selector: { app: "x" } });
    service("lax", { clusterIP: "None", selector: { app: "x" }, publishNotReadyAddresses: true });
    await host.advance(1);
    expect(hosts("p").join()).not.toContain("strict");
    expect(hosts("p").join()).toContain("lax.ns.svc");
  });

  test("contains services with a cluster IP, by bare name only in their own namespace", async () => {
    const { host, pod, service, hosts } = cluster();
    pod("p");
    service("near", { clusterIP: "127.90.3.200" });
    service("far", { clusterIP: "127.90.3.201" }, "other");
    await host.advance(1);
    expect(hosts("p").slice(2)).toEqual([
      "127.90.3.200 near near.ns near.ns.svc near.ns.svc.cluster.local",
      "127.90.3.201 far.other far.other.svc far.other.svc.cluster.local",
    ]);
  });
});

describe("addresses", () => {
  test("are assigned in turn, and a released one comes last", () => {
    const { names, pod } = cluster();
    const first = pod("a");
    expect(names.addressOf(first)).toBe("127.90.3.2");
    names.release(first.metadata.uid);
    expect(names.addressOf(pod("b"))).toBe("127.90.3.3");
  });

  test("end with .199", { tags: "long" }, () => {
    const { names, pod } = cluster();
    const pods = Array.from({ length: 199 }, (_, index) => pod(`p${index}`));
    const addresses = pods.map((each) => names.addressOf(each));
    expect(new Set(addresses.slice(0, 198)).size).toBe(198);
    expect(addresses.slice(-2)).toEqual(["127.90.3.199", undefined]);
  });
});
