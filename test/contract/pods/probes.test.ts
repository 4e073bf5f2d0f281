import { describe } from "vitest";
import { nodeHost } from "../../../src/host/node-host.ts";
import { podClusters } from "../pod-cluster.ts";
import { conditionsOf, isTerminated, sh, stateOf } from "../test-namespace.ts";
import { podChecks, ready, running } from "./pod-checks.ts";

const { clock } = nodeHost();

describe.each(podClusters())("pods of $name", { concurrent: true }, (cluster) => {
  const check = podChecks(cluster);

  check("101 a readiness probe decides on Ready and on the endpoints", async (space, { expect }) => {
    await space.create("services", {
      kind: "Service",
      metadata: { name: "s" },
      spec: { selector: { app: "p" }, ports: [{ port: 80 }] },
    });
    await space.pod("p", {
      volumes: [{ name: "v", emptyDir: {} }],
      containers: [
        sh("a", "sleep 4; touch /v/ready; sleep 4; rm /v/ready; exec sleep 60", {
          volumeMounts: [{ name: "v", mountPath: "/v" }],
          readinessProbe: {
            ...{ exec: { command: ["cat", "/v/ready"] }, periodSeconds: 1, failureThreshold: 1 },
          },
        }),
      ],
    });
    const endpoints = async () => (await space.client.call("GET", space.at("endpoints", "s"))).text;
    const unready = await space.until("p", running);
    expect([stateOf(unready).ready, conditionsOf(unready)["Ready"]]).toEqual([false, "False ContainersNotReady"]);
    const pod = await space.until("p", ready);
    for (let tries = 0; tries < 30 && !(await endpoints()).includes('"addresses"'); tries += 1) await clock.sleep(100);
    expect(await endpoints()).toContain(`"ip":"${pod.status?.podIP}"`);
    await space.until("p", (seen) => !ready(seen));
    for (let tries = 0; tries < 30 && !(await endpoints()).includes("notReadyAddresses"); tries += 1)
      await clock.sleep(100);
    expect(await endpoints()).toContain("notReadyAddresses");
    expect((await space.untilEvent("p", "Unhealthy")).message).toMatch(
      /^Readiness probe failed: cat: .*No such file or directory\n?$/,
    );
  });

  check("101 a service forwards to its ready pods, by address, name and node port", async (space, { expect }) => {
    const serve =
      "import http.server as h, os\nclass H(h.BaseHTTPRequestHandler):\n def do_GET(s): s.send_response(200); s.end_headers(); s.wfile.write(b'hello ')\nh.HTTPServer((os.environ['IP'], 18100), H).serve_forever()";
    const ip = { name: "IP", valueFrom: { fieldRef: { fieldPath: "status.podIP" } } };
    await space.pod("server", {
      containers: [
        {
          ...{ name: "a", command: ["python3", "-c", serve], env: [ip] },
          ports: [{ name: "web", containerPort: 18100 }],
          readinessProbe: { tcpSocket: { port: "web" }, periodSeconds: 1 },
        },
      ],
    });
    const ports = [{ port: 18101, targetPort: "web" }];
    const selector = { app: "server" };
    const service = (name: string, spec: object) =>
      space.create("services", { kind: "Service", metadata: { name }, spec: { selector, ports, ...spec } });
    await service("front", { type: "NodePort" });
    await service("behind", { clusterIP: "None" });
    const { status } = await space.until("server", ready);
    const { spec } = (await space.client.call("GET", space.at("services", "front"))).body;
    const [port] = JSON.parse(JSON.stringify(spec["ports"]));
    const domain = `${space.namespace}.svc.cluster.local`;
    const targets = [
      `${spec["clusterIP"]}:18101`,
      `${status?.hostIP}:${port.nodePort}`,
      ...(cluster.isolates ? ["front:18101", `front.${domain}:18101`, `behind.${domain}:18100`] : []),
    ];
    const script = `for target in ${targets.join(" ")}; do until python3 -c "import urllib.request as u; print(u.urlopen('http://$target', timeout=2).read().decode(), end='')" 2>/dev/null; do sleep 0.2; done; done`;
    await space.pod("client", { activeDeadlineSeconds: 50, containers: [sh("a", script)] });
    await space.until("client", isTerminated);
    expect(await space.log("client")).toBe("hello ".repeat(targets.length));
  });

  check("101 a failed liveness probe restarts its container", async (space, { expect }) => {
    await space.pod("p", {
      ...{ restartPolicy: "Always" },
      containers: [
        // The first process of a container ignores signals that it does not handle.
        sh("a", "trap 'exit 9' TERM; while :; do sleep 0.1; done", {
          livenessProbe: { tcpSocket: { port: 9 }, periodSeconds: 1, failureThreshold: 2 },
        }),
      ],
    });
    const pod = await space.until("p", (seen) => stateOf(seen).restarts === 1);
    expect(stateOf(pod).last).toMatchObject({ terminated: { exitCode: 9, reason: "Error" } });
    expect((await space.untilEvent("p", "Unhealthy")).message).toBe(
      `Liveness probe failed: dial tcp ${pod.status?.podIP}:9: connect: connection refused`,
    );
    expect((await space.untilEvent("p", "Killing")).message).toBe(
      "Container a failed liveness probe, will be restarted",
    );
  });

  check("101 a startup probe delays readiness, by HTTP", async (space, { expect }) => {
    const server =
      "import http.server as h, os, time\ntime.sleep(2)\nclass H(h.SimpleHTTPRequestHandler):\n def do_GET(s): s.send_response(200 if s.path == '/up' else 503); s.end_headers()\nh.HTTPServer((os.environ['IP'], 18099), H).serve_forever()";
    await space.pod("p", {
      containers: [
        {
          ...{ name: "a", command: ["python3", "-c", server] },
          env: [{ name: "IP", valueFrom: { fieldRef: { fieldPath: "status.podIP" } } }],
          ports: [{ name: "web", containerPort: 18099 }],
          startupProbe: { httpGet: { path: "/up", port: "web" }, periodSeconds: 1, failureThreshold: 30 },
          readinessProbe: { httpGet: { path: "/down", port: 18099 }, periodSeconds: 1 },
        },
      ],
    });
    const started = await space.until("p", (seen) => seen.status?.containerStatuses?.[0]?.started === true);
    expect(stateOf(started).ready).toBe(false);
    const messages = async () =>
      (await space.events("p")).filter(({ reason }) => reason === "Unhealthy").map(({ message }) => message);
    while ((await messages()).every((message) => !message?.startsWith("Readiness"))) await clock.sleep(100);
    const address = `${started.status?.podIP}:18099`;
    expect(await messages()).toContain(
      `Startup probe failed: Get "http://${address}/up": dial tcp ${address}: connect: connection refused`,
    );
    expect(await messages()).toContain("Readiness probe failed: HTTP probe failed with statuscode: 503");
  });
});
