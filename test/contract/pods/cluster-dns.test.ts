import { describe, expect, test } from "vitest";
import type { Host } from "../../../src/host/host.ts";
import { sandboxCases } from "../sandbox-runner.ts";
import { isTerminated, sh } from "../test-namespace.ts";
import { python } from "./greeters.ts";
import { dnsFunctions, startNameServer } from "./name-server.ts";
import { networkCluster } from "./network-cluster.ts";
import { running } from "./pod-checks.ts";

const machineServer = "127.77.0.53";

/** Returns a machine with a name server on its loopback. */
function withNameServer(host: Host): Host {
  const text = `nameserver ${machineServer}\nsearch machine.test\n`;
  const readText = (path: string) => (path === "/etc/resolv.conf" ? text : host.files.readText(path));
  return { ...host, files: { ...host.files, readText } };
}

describe.each(sandboxCases(["bwrap"]))("cluster DNS by $choice of the $user user", (sandboxCase) => {
  const { space, nodeAddress } = networkCluster({
    ...{ ...sandboxCase, change: withNameServer, required: ["ports below 1024"] },
  });

  /** Runs Python calls in a pod and returns the printed lines. */
  async function linesOf(name: string, calls: readonly string[], spec: object = {}): Promise<readonly string[]> {
    await space().pod(name, { activeDeadlineSeconds: 60, ...spec, containers: [python("a", dnsFunctions, ...calls)] });
    await space().until(name, isTerminated, 60);
    return (await space().log(name)).trim().split("\n");
  }

  const domain = () => `${space().namespace}.svc.cluster.local`;

  test("resolves services, their ports, and the pods of a StatefulSet", async () => {
    const ports = [{ name: "web", port: 80, targetPort: 8080 }];
    const service = (name: string, spec: object) =>
      space().create("services", { kind: "Service", metadata: { name }, spec });
    await service("front", { selector: { app: "db" }, ports });
    await service("db", { clusterIP: "None", selector: { app: "db" }, ports });
    await service("far", { type: "ExternalName", externalName: "far.test" });
    await service("near", { type: "ExternalName", externalName: `front.${domain()}` });
    const template = {
      metadata: { labels: { app: "db" } },
      spec: { terminationGracePeriodSeconds: 0, containers: [{ ...sh("a", "exec sleep 1000"), image: "debian:12" }] },
    };
    const selector = { matchLabels: { app: "db" } };
    const set = {
      ...{ apiVersion: "apps/v1", kind: "StatefulSet", metadata: { name: "db" } },
      spec: { replicas: 2, serviceName: "db", selector, template },
    };
    const path = `/apis/apps/v1/namespaces/${space().namespace}/statefulsets`;
    expect((await space().client.call("POST", path, set)).status).toBe(201);
    const ips: string[] = [];
    for (const name of ["db-0", "db-1"]) ips.push((await space().until(name, running)).status?.podIP ?? "");
    const { text } = await space().client.call("GET", space().at("services", "front"));
    const front: { spec: { clusterIP: string } } = JSON.parse(text);
    const queried = await startNameServer(machineServer, "192.0.2.77");
    const reverse = ips[0]?.split(".").reverse().join(".");
    const names = ["front", "db", "db-1.db", "far", "near", "missing", "db-2.db"];
    const calls = [
      ...names.map((name) => `resolve_by_server('${name}.${domain()}')`),
      `resolve_by_server('front.${domain()}', 'AAAA')`,
      `resolve_by_server('missing.${domain()}', 'AAAA')`,
      `resolve_by_server('_web._tcp.front.${domain()}', 'SRV')`,
      `resolve_by_server('_web._tcp.db.${domain()}', 'SRV')`,
      `resolve_by_server('far.${domain()}', 'CNAME')`,
      `resolve_by_server('${reverse}.in-addr.arpa', 'PTR')`,
      "resolve_by_server('kubernetes.default.svc.cluster.local')",
    ];
    const soa = "SOA ns.dns.cluster.local";
    const at = (name: string, address: string | undefined) => `${name}.${domain()} A ${address}`;
    expect(await linesOf("client", calls)).toEqual([
      `0 | ${at("front", front.spec.clusterIP)}`,
      `0 | ${ips
        .map((ip) => at("db", ip))
        .sort()
        .join(" | ")}`,
      `0 | ${at("db-1.db", ips[1])}`,
      "0 | CNAME far.test | far.test A 192.0.2.77",
      `0 | CNAME front.${domain()} | ${at("front", front.spec.clusterIP)}`,
      `3 | ${soa}`,
      `3 | ${soa}`,
      `0 | ${soa}`,
      `3 | ${soa}`,
      `0 | SRV 80 front.${domain()} | ${at("front", front.spec.clusterIP)}`,
      `0 | ${["db-0", "db-1"].map((name) => `SRV 8080 ${name}.db.${domain()}`).join(" | ")} | ${["db-0", "db-1"].map((name, index) => at(`${name}.db`, ips[index])).join(" | ")}`,
      "0 | CNAME far.test",
      `0 | PTR db-0.db.${domain()}`,
      `0 | kubernetes.default.svc.cluster.local A ${nodeAddress()}`,
    ]);
    expect(queried).toEqual(["far.test"]);
  });

  test("the C library finds names by the search list, and of the machine's server by UDP and TCP", async () => {
    const queried = await startNameServer(machineServer, "192.0.2.78");
    const { namespace } = space();
    const lines = await linesOf("searching", [
      // Two dots, fewer than `ndots`: found below the last domain of the cluster.
      `resolve('127-90-77-7.${namespace}.pod')`,
      "resolve('other.test')",
      "resolve('other.test.')",
      "resolve_by_server('by-tcp.test', tcp=True)",
      "resolve_by_server('kubernetes.default.svc.cluster.local', tcp=True)",
    ]);
    expect(lines).toEqual([
      "127.90.77.7",
      "192.0.2.78",
      "192.0.2.78",
      "0 | by-tcp.test A 192.0.2.78",
      `0 | kubernetes.default.svc.cluster.local A ${nodeAddress()}`,
    ]);
    expect(new Set(queried)).toEqual(new Set(["other.test.machine.test", "other.test", "by-tcp.test"]));
  });

  test("a response that is too long for UDP is truncated, and complete by TCP", async () => {
    const names = Array.from({ length: 12 }, (_, index) => `long-${index}`);
    await space().create("services", {
      kind: "Service",
      metadata: { name: "long" },
      spec: { clusterIP: "None", selector: { kind: "long" }, ports: [{ port: 80 }] },
    });
    for (const name of names)
      await space().create("pods", {
        ...{ kind: "Pod", metadata: { name, labels: { kind: "long" } } },
        spec: {
          terminationGracePeriodSeconds: 0,
          containers: [{ ...sh("a", "exec sleep 1000"), image: "debian:12" }],
        },
      });
    for (const name of names) await space().until(name, running);
    const [short, long = ""] = await linesOf("long-client", [
      `resolve_by_server('long.${domain()}')`,
      `resolve_by_server('long.${domain()}', tcp=True)`,
    ]);
    expect(short).toBe("0 truncated");
    expect(long.split(" | ")).toHaveLength(1 + names.length);
  });

  test("malformed and unsupported messages get no or an error response, and the server continues", async () => {
    const lines = await linesOf("malformed", [
      "good = query('kubernetes.default.svc.cluster.local', 1)",
      "s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.connect((servers[0], 53))",
      "for q in [b'', b'x', good[:-1], good[:20], good[:5] + b'\\2' + good[6:], b'\\xff' * 600, bytes([9, 9, 128]) + good[3:]]: s.send(q)",
      "print(exchange(b'x' * 30, True))",
      "print(show(exchange(query('kubernetes.default.svc.cluster.local', 1, 0x2900), False)))",
      "s.settimeout(10); s.send(good); print(show(s.recv(999)))",
      "resolve_by_server('kubernetes.default.svc.cluster.local', tcp=True)",
    ]);
    const found = `0 | kubernetes.default.svc.cluster.local A ${nodeAddress()}`;
    expect(lines).toEqual(["None", "4 | SOA ns.dns.cluster.local", found, found]);
  });

  test("dnsPolicy, dnsConfig and hostAliases decide on the pod's files", async () => {
    const files = "cat /etc/resolv.conf; grep alias /etc/hosts";
    const contentOf = async (name: string, spec: object) => {
      await space().pod(name, { ...spec, containers: [sh("a", files)] });
      await space().until(name, isTerminated);
      return space().log(name);
    };
    const searches = `search ${domain()} svc.cluster.local cluster.local machine.test\n`;
    expect(await contentOf("first", { hostAliases: [{ ip: "192.0.2.9", hostnames: ["alias"] }] })).toBe(
      `${searches}nameserver ${nodeAddress()}\noptions ndots:5\n192.0.2.9\talias\n`,
    );
    const dnsConfig = { nameservers: ["192.0.2.53"], searches: ["own.test"], options: [{ name: "ndots", value: "1" }] };
    expect(await contentOf("none", { dnsPolicy: "None", dnsConfig })).toBe(
      "search own.test\nnameserver 192.0.2.53\noptions ndots:1\n",
    );
    // Pods do not reach a name server on this machine's loopback; the cluster's server queries it.
    expect(await contentOf("default", { dnsPolicy: "Default" })).toBe(
      `search machine.test\nnameserver ${nodeAddress()}\n`,
    );
  });
});
