import { execFileSync } from "node:child_process";
import { createServer } from "node:http";
import { connect } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { nodeHost } from "../../../src/host/node-host.ts";
import { type EmbeddedCluster, startCluster } from "../../../src/local-cluster/index.ts";
import { missingOf, sandboxRequirements } from "../../requirements.ts";
import { requires } from "../../test-with.ts";
import { ordinaryUser } from "../ordinary-user.ts";
import { sandboxCases } from "../sandbox-runner.ts";
import { createTestNamespace, isTerminated, sh, type TestNamespace } from "../test-namespace.ts";
import { ready } from "./pod-checks.ts";

/** Python program that responds with the pod's name at port 80 of all addresses. */
const server =
  "import http.server as h, os\nclass H(h.BaseHTTPRequestHandler):\n def do_GET(s): s.send_response(200 if s.path == '/' or s.path[1:] == os.environ['APP'] else 404); s.end_headers(); s.wfile.write(os.environ['HOSTNAME'].encode())\n def log_message(s, *a): pass\nh.ThreadingHTTPServer(('0.0.0.0', 80), H).serve_forever()";

/** Shell function that prints what a URL responds, when it responds. */
const fetchFunction =
  "fetch() { until python3 -c 'import sys, urllib.request as u; print(u.urlopen(sys.argv[1], timeout=2).read().decode())' \"$1\" 2>/dev/null; do sleep 0.1; done; }";

describe.each(sandboxCases(["bwrap", "unshare"]))(
  "a network per pod, by $choice of the $user user",
  ({ choice, user }) => {
    const machine = nodeHost();
    const directory = machine.files.makeTemporaryDirectory(`${machine.files.temporaryRoot}/firesteel-network-`);
    const required = [sandboxRequirements[choice], "network namespaces"] as const;
    const host = user === "current" ? machine : ordinaryUser(machine, directory);
    let cluster: EmbeddedCluster;
    let space: TestNamespace;
    beforeAll(async () => {
      if (required.some((each) => missingOf(each) !== undefined)) return;
      const options = { directory, sandbox: choice, apiOnly: false, sparkHomes: [], javaHome: undefined } as const;
      cluster = await startCluster(host, { ...options, network: "pod" });
      space = await createTestNamespace({ transport: cluster.transport, image: "debian:12", close: async () => {} });
    });
    for (const each of required) beforeEach(requires(each));
    afterAll(async () => {
      await space?.close();
      await cluster?.stop();
      machine.files.remove(directory);
    });

    const deployment = (name: string) => ({
      ...{ apiVersion: "apps/v1", kind: "Deployment", metadata: { name } },
      spec: {
        ...{ replicas: 3, selector: { matchLabels: { app: name } } },
        template: {
          metadata: { labels: { app: name } },
          spec: {
            terminationGracePeriodSeconds: 0,
            containers: [
              {
                ...{ name: "a", image: "debian:12", command: ["python3", "-c", server] },
                env: [{ name: "APP", value: name }],
                readinessProbe: { httpGet: { path: `/${name}`, port: 80 }, periodSeconds: 1 },
              },
            ],
          },
        },
      },
    });

    const podsOf = async (app: string) => {
      const { text } = await space.client.call("GET", `${space.at("pods")}?labelSelector=app%3D${app}`);
      const list: { items: readonly Parameters<typeof ready>[0][] } = JSON.parse(text);
      return list.items;
    };

    test("two Deployments of three replicas listen on port 80, and probes and services find the right pods", async () => {
      expect([cluster.network, ...cluster.notices]).toEqual(["pod"]);
      for (const name of ["one", "two"]) {
        const { status, text } = await space.client.call(
          "POST",
          `/apis/apps/v1/namespaces/${space.namespace}/deployments`,
          deployment(name),
        );
        if (status !== 201) throw new Error(text);
        const ports = [{ port: 80 }];
        await space.create("services", {
          kind: "Service",
          metadata: { name },
          spec: { selector: { app: name }, ports },
        });
      }
      for (const name of ["one", "two"])
        await expect.poll(async () => (await podsOf(name)).filter(ready).length, { timeout: 60_000 }).toBe(3);
      const pods = [...(await podsOf("one")), ...(await podsOf("two"))];
      const addresses = pods.map(({ status }) => `${status?.podIP}`);
      const fetches = [...addresses, "one", "two", "one", "two", "one", "two"].map((name) => `fetch http://${name}/`);
      await space.pod("client", {
        ...{ activeDeadlineSeconds: 60 },
        containers: [sh("a", [fetchFunction, ...fetches, "fetch http://127.0.0.1/ & sleep 1; kill $!"].join("\n"))],
      });
      await space.until("client", isTerminated, 60);
      const lines = (await space.log("client")).trim().split("\n");
      expect(lines.slice(0, 6)).toEqual(pods.map(({ metadata }) => metadata?.name));
      const balanced = lines.slice(6, 12);
      expect(balanced.map((name) => name.split("-")[0])).toEqual(["one", "two", "one", "two", "one", "two"]);
      expect(new Set(balanced).size).toBe(6);
      expect(lines.length).toBe(12);
    });

    test("pods reach the API, and this machine by its documented name", async () => {
      const local = createServer((_, response) => response.end("of this machine"));
      await new Promise<void>((resolve) => local.listen(0, "127.0.0.1", resolve));
      const address = local.address();
      const port = typeof address === "object" ? address?.port : 0;
      const requests =
        "import os, ssl, urllib.request as u; c = ssl.create_default_context(cafile='/var/run/secrets/kubernetes.io/serviceaccount/ca.crt'); e = os.environ\nfor a in ('kubernetes.default.svc', e['KUBERNETES_SERVICE_HOST'] + ':' + e['KUBERNETES_SERVICE_PORT']): print('gitVersion' in u.urlopen('https://' + a + '/version', context=c).read().decode())";
      await space.pod("outgoing", {
        ...{ activeDeadlineSeconds: 20 },
        containers: [
          sh("a", `${fetchFunction}\nfetch http://host.firesteel.internal:${port}/\nexec python3 -c "$REQUESTS"`, {
            env: [{ name: "REQUESTS", value: requests }],
          }),
        ],
      });
      await space.until("outgoing", isTerminated, 60);
      local.close();
      expect(await space.log("outgoing")).toBe("of this machine\nTrue\nTrue\n");
    });

    test("this machine reaches the ports of a pod at its address", async () => {
      await space.pod("listening", {
        containers: [sh("a", "exec python3 -m http.server 18180 --bind 0.0.0.0 --directory /etc/alternatives")],
      });
      const { status } = await space.until("listening", ({ status }) => status?.phase === "Running");
      const open = () =>
        new Promise((resolve) => {
          const socket = connect({ host: status?.podIP ?? "", port: 18_180 });
          socket.on("connect", () => resolve(socket.destroy() && "open"));
          socket.on("error", ({ message }) => resolve(message));
        });
      await expect.poll(open, { timeout: 60_000 }).toBe("open");
    });

    test("the cluster's DNS server responds by UDP and TCP, with the search list", async () => {
      const queries = [
        "import socket, struct, sys",
        "def query(name, type, tcp=False):",
        " q = struct.pack('>6H', 9, 256, 1, 0, 0, 0) + b''.join(bytes([len(l)]) + l.encode() for l in name.split('.')) + struct.pack('>B2H', 0, type, 1)",
        " server = [l.split()[1] for l in open('/etc/resolv.conf') if l.startswith('nameserver')][0]",
        " s = socket.socket(socket.AF_INET, socket.SOCK_STREAM if tcp else socket.SOCK_DGRAM); s.settimeout(5); s.connect((server, 53))",
        " s.send((struct.pack('>H', len(q)) if tcp else b'') + q); r = s.recv(4096)[2 if tcp else 0:]",
        " print(r[3] & 15, struct.unpack('>H', r[6:8])[0], '.'.join(map(str, r[-4:])) if r[3] & 15 == 0 and r[7] else '')",
        "name = 'kubernetes.default.svc.cluster.local'",
        "query(name, 1); query(name, 1, True); query(name, 28); query('nope.default.svc.cluster.local', 1)",
      ].join("\n");
      const file = "cat /etc/resolv.conf | head -1 | cut -d' ' -f1-4";
      await space.pod("dns-client", {
        ...{ activeDeadlineSeconds: 30 },
        containers: [sh("a", `${file}; exec python3 -c "$QUERY"`, { env: [{ name: "QUERY", value: queries }] })],
      });
      await space.until("dns-client", isTerminated, 30);
      const [, api = ""] = /https:\/\/([\d.]+)/.exec(cluster.url) ?? [];
      const found = `0 1 ${api}\n`;
      expect(await space.log("dns-client")).toBe(
        `search ${space.namespace}.svc.cluster.local svc.cluster.local cluster.local\n${found}${found}0 0 \n3 0 \n`,
      );
    });

    test("nothing remains after the cluster has ended", async () => {
      const before = execFileSync("ip", ["-brief", "link"], { encoding: "utf8" });
      expect(before).not.toMatch(/pods|veth/);
    });
  },
);
