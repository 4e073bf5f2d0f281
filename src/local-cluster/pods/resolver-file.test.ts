import { expect, test } from "vitest";
import { testHost } from "../../host/test-host.ts";
import { resolverFile } from "./resolver-file.ts";

const { files } = testHost();
files.makeDirectory("/etc");
files.write("/etc/resolv.conf", "nameserver 192.0.2.53\nsearch example.org\noptions timeout:1\n");

function fileOf(spec: object, server: string | undefined = "127.90.0.1") {
  const metadata = { name: "p", namespace: "ns", uid: "u", resourceVersion: "1" };
  return resolverFile(files, { apiVersion: "v1", kind: "Pod", metadata, spec: { containers: [], ...spec } }, server);
}
const clusterSearch = "search ns.svc.cluster.local svc.cluster.local cluster.local example.org\n";

test("uses the cluster's server with its search list by default", () => {
  expect(fileOf({})).toBe(`${clusterSearch}nameserver 127.90.0.1\noptions ndots:5\n`);
  expect(fileOf({ dnsPolicy: "ClusterFirstWithHostNet" })).toBe(fileOf({}));
});

test("uses this machine's file for its policy, on its network, and without a server", () => {
  expect(fileOf({ dnsPolicy: "Default" })).toBeUndefined();
  expect(fileOf({ hostNetwork: true })).toBeUndefined();
  expect(fileOf({ hostNetwork: true, dnsPolicy: "ClusterFirstWithHostNet" })).toBeUndefined();
  expect(
    resolverFile(
      files,
      {
        ...{ apiVersion: "v1", kind: "Pod" },
        metadata: { name: "p", namespace: "ns", uid: "u", resourceVersion: "1" },
        spec: { containers: [] },
      },
      undefined,
    ),
  ).toBeUndefined();
});

test("adds the pod's own configuration", () => {
  const dnsConfig = {
    nameservers: ["192.0.2.1"],
    searches: ["a.b"],
    options: [{ name: "ndots", value: "2" }, { name: "edns0" }],
  };
  expect(fileOf({ dnsPolicy: "None", dnsConfig })).toBe("search a.b\nnameserver 192.0.2.1\noptions ndots:2 edns0\n");
  expect(fileOf({ dnsConfig })).toBe(
    `${clusterSearch.trim()} a.b\nnameserver 127.90.0.1\nnameserver 192.0.2.1\noptions ndots:2 edns0\n`,
  );
  expect(fileOf({ dnsPolicy: "Default", dnsConfig })).toBe(
    "search example.org a.b\nnameserver 192.0.2.53\nnameserver 192.0.2.1\noptions timeout:1 ndots:2 edns0\n",
  );
});

test("uses the cluster's server instead of name servers on this machine's loopback", () => {
  files.write("/etc/resolv.conf", "nameserver 127.0.0.53\nnameserver 192.0.2.53\noptions edns0\n");
  expect(fileOf({ dnsPolicy: "Default" })).toBe("nameserver 127.90.0.1\nnameserver 192.0.2.53\noptions edns0\n");
  expect(fileOf({ dnsPolicy: "Default", hostNetwork: true })).toBeUndefined();
  files.write("/etc/resolv.conf", "");
  expect(fileOf({ dnsPolicy: "Default" })).toBe("nameserver 127.90.0.1\n");
});
