import { once } from "node:events";
import { networkInterfaces } from "node:os";
import { describe, expect, onTestFinished, test } from "vitest";
import WebSocket from "ws";
import type { Pod } from "../../../src/kube/types.ts";
import { sandboxCases } from "../sandbox-runner.ts";
import { isTerminated, sh, stateOf } from "../test-namespace.ts";
import { greetFunction, greeting, python } from "./greeters.ts";
import { greetingOf, networkCluster, polling, startGreeter } from "./network-cluster.ts";
import { ready, running } from "./pod-checks.ts";

describe.each(sandboxCases(["bwrap", "unshare"]))("ports of pods by $choice of the $user user", (sandboxCase) => {
  const { cluster, space, nodeAddress } = networkCluster(sandboxCase);
  const addressOf = ({ status }: Pod) => status?.podIP ?? "";

  /** Runs a Python program in a pod and returns its output. */
  async function runPython(name: string, lines: readonly string[], spec: object = {}): Promise<string> {
    await space().pod(name, { activeDeadlineSeconds: 60, ...spec, containers: [python("a", greetFunction, ...lines)] });
    await space().until(name, isTerminated, 60);
    return space().log(name);
  }

  test("the same port belongs to each pod, also below 1024, from a pod, this machine and through a service", async () => {
    for (const name of ["one", "two"]) {
      await space().pod(name, {
        containers: [greeting("low", { port: 81, greeting: name }), greeting("high", { port: 18_200, greeting: name })],
      });
      const ports = [{ port: 80, targetPort: 81 }];
      await space().create("services", {
        kind: "Service",
        metadata: { name },
        spec: { selector: { app: name }, ports },
      });
    }
    const one = addressOf(await space().until("one", running));
    const two = addressOf(await space().until("two", running));
    const calls = [
      ...[one, two].flatMap((at) => [
        [at, 81],
        [at, 18_200],
      ]),
      ["one", 80],
      ["two", 80],
    ];
    expect(
      await runPython(
        "same-port",
        calls.map((call) => `greet(*${JSON.stringify(call)})`),
      ),
    ).toBe("one\none\ntwo\ntwo\none\ntwo\n");
    await expect.poll(() => greetingOf(one, 18_200), polling).toBe("one");
    await expect.poll(() => greetingOf(two, 18_200), polling).toBe("two");
    await space().remove("one");
    await expect.poll(() => greetingOf(one, 18_200), polling).toBe("ECONNREFUSED");
    expect(await greetingOf(two, 18_200)).toBe("two");
  });

  test("a service in the second range of addresses forwards to an endpoint slice that it does not select", async () => {
    await space().pod("own", { containers: [greeting("a", { port: 83, greeting: "own" })] });
    const address = addressOf(await space().until("own", running));
    const [, , number] = nodeAddress().split(".");
    const clusterIP = `127.218.${number}.7`;
    const ports = [
      { name: "low", port: 80 },
      { name: "high", port: 18_201 },
    ];
    await space().create("services", { kind: "Service", metadata: { name: "own" }, spec: { clusterIP, ports } });
    const slice = {
      ...{ apiVersion: "discovery.k8s.io/v1", kind: "EndpointSlice", addressType: "IPv4" },
      metadata: { name: "own", labels: { "kubernetes.io/service-name": "own" } },
      endpoints: [{ addresses: [address] }],
      ports: ports.map(({ name }) => ({ name, port: 83 })),
    };
    const path = `/apis/discovery.k8s.io/v1/namespaces/${space().namespace}/endpointslices`;
    expect((await space().client.call("POST", path, slice)).status).toBe(201);
    const calls = [
      [clusterIP, 80],
      ["own", 18_201],
    ].map((call) => `greet(*${JSON.stringify(call)})`);
    expect(await runPython("second-range", calls)).toBe("own\nown\n");
    await expect.poll(() => greetingOf(clusterIP, 18_201), polling).toBe("own");
  });

  const grpcServer = [
    "import socket, os",
    // A minimal HTTP/2 server: settings, then for each request the headers `:status 200`, the message SERVING, the trailers.
    "server = socket.create_server(('0.0.0.0', 82))",
    "frame = lambda kind, flags, stream, body: len(body).to_bytes(3, 'big') + bytes([kind, flags]) + stream.to_bytes(4, 'big') + body",
    "status = int(os.environ['STATUS'])",
    "while True:",
    "  s, _ = server.accept()",
    "  def read(n):",
    "    data = b''",
    "    while len(data) < n:",
    "      more = s.recv(n - len(data))",
    "      if not more: raise OSError",
    "      data += more",
    "    return data",
    "  try:",
    "    read(24); s.sendall(frame(4, 0, 0, b''))",
    "    while True:",
    "      head = read(9); read(int.from_bytes(head[:3], 'big')); stream = int.from_bytes(head[5:], 'big')",
    "      if head[3] == 4 and not head[4] & 1: s.sendall(frame(4, 1, 0, b''))",
    "      if head[4] & 1 and stream:",
    "        text = lambda k, v: b'\\0' + bytes([len(k)]) + k + bytes([len(v)]) + v",
    "        s.sendall(frame(1, 4, stream, b'\\x88' + text(b'content-type', b'application/grpc')) + frame(0, 0, stream, b'\\0\\0\\0\\0\\2\\x08' + bytes([status])) + frame(1, 5, stream, text(b'grpc-status', b'0')))",
    "  except OSError: s.close()",
  ];
  const httpServer =
    "import http.server as h, os\nclass H(h.BaseHTTPRequestHandler):\n def do_GET(s): s.send_response(int(os.environ['STATUS'])); s.end_headers()\n def log_message(s, *a): pass\nh.ThreadingHTTPServer(('0.0.0.0', 82), H).serve_forever()";

  test.each([
    { kind: "http", probe: { httpGet: { port: 82 } }, program: httpServer, statuses: ["200", "500"] },
    { kind: "tcp", probe: { tcpSocket: { port: 82 } }, program: httpServer, statuses: ["200", undefined] },
    { kind: "grpc", probe: { grpc: { port: 82 } }, program: grpcServer.join("\n"), statuses: ["1", "2"] },
    {
      ...{ kind: "exec", program: httpServer, statuses: ["200", undefined] },
      probe: { exec: { command: ["python3", "-c", "import socket; socket.create_connection(('127.0.0.1', 82))"] } },
    },
  ])("a $kind probe reaches its own pod only", async ({ kind, probe, program, statuses }) => {
    const readinessProbe = { ...probe, periodSeconds: 1, failureThreshold: 1 };
    const pod = (name: string, status: string | undefined) =>
      space().pod(name, {
        containers: [
          status === undefined
            ? sh("a", "exec sleep 1000", { readinessProbe })
            : {
                ...{ name: "a", command: ["python3", "-c", program], readinessProbe },
                env: [{ name: "STATUS", value: status }],
              },
        ],
      });
    await pod(`${kind}-good`, statuses[0]);
    await pod(`${kind}-bad`, statuses[1]);
    await space().until(`${kind}-good`, ready);
    await space().untilEvent(`${kind}-bad`, "Unhealthy");
    // By now, the other pod was probed while this one was ready.
    await space().until(`${kind}-bad`, (seen) => running(seen) && !ready(seen));
    expect(ready(await space().get(`${kind}-good`))).toBe(true);
    for (const name of ["good", "bad"]) await space().remove(`${kind}-${name}`, { gracePeriodSeconds: 0 });
  });

  test("containers of a pod share 127.0.0.1, which is not that of other pods or of this machine", async () => {
    const local = await startGreeter("127.0.0.1", "of this machine");
    onTestFinished(local.close);
    await space().pod("sharing", {
      initContainers: [
        {
          ...greeting("sidecar", { port: 83, greeting: "of the sidecar", address: "127.0.0.1" }),
          restartPolicy: "Always",
        },
        python("init", greetFunction, "greet('127.0.0.1', 83)"),
      ],
      containers: [
        greeting("server", { port: 84, greeting: "of the server", address: "127.0.0.1" }),
        python("a", greetFunction, "greet('127.0.0.1', 83)", "greet('localhost', 84)"),
      ],
    });
    await space().until("sharing", (pod) => stateOf(pod, "a").terminated !== undefined);
    expect(await space().log("sharing", "container=init")).toBe("of the sidecar\n");
    expect(await space().log("sharing", "container=a")).toBe("of the sidecar\nof the server\n");
    const refused = [83, 84, local.port].map(
      (port) => `print(socket.socket().connect_ex(('127.0.0.1', ${port})), flush=True)`,
    );
    expect(await runPython("outside", refused)).toBe("111\n111\n111\n");
  });

  test("pods reach this machine: its loopback, its other addresses, and servers at all of them", async () => {
    const loopback = await startGreeter("127.0.0.1", "loopback");
    const other = await startGreeter("127.77.0.9", "other loopback");
    const all = await startGreeter("0.0.0.0", "all addresses");
    for (const { close } of [loopback, other, all]) onTestFinished(close);
    const external = Object.values(networkInterfaces())
      .flat()
      .find((found) => found?.family === "IPv4" && !found.internal)?.address;
    const calls = [
      ["host.firesteel.internal", loopback.port],
      ["127.77.0.9", other.port],
      ["host.firesteel.internal", all.port],
      [nodeAddress(), all.port],
      ...(external === undefined ? [] : [[external, all.port]]),
    ];
    const lines = calls.map((call) => `greet(*${JSON.stringify(call)})`);
    const expected = [
      "loopback",
      "other loopback",
      ...Array<string>(external === undefined ? 2 : 3).fill("all addresses"),
    ];
    expect(await runPython("outgoing", lines)).toBe(`${expected.join("\n")}\n`);
  });

  test("port-forward, exec and logs reach their own pod", async () => {
    for (const name of ["forward-one", "forward-two"])
      await space().pod(name, {
        containers: [greeting("a", { port: 85, greeting: name }), sh("b", `echo ${name}; exec sleep 1000`)],
      });
    const open = (path: string, protocol: string) => {
      const url = `${cluster().url.replace("https", "wss")}${space().at("pods")}/${path}`;
      const socket = new WebSocket(url, [protocol], {
        ca: cluster().certificateAuthority,
        headers: { authorization: `Bearer ${cluster().token}` },
      });
      onTestFinished(() => socket.terminate());
      return socket;
    };
    const received = async (socket: WebSocket) => {
      let text = "";
      socket.on("message", (data) => {
        if (Buffer.isBuffer(data) && (data[0] === 0 || data[0] === 1)) text += data.subarray(1).toString("latin1");
      });
      await once(socket, "close");
      return text;
    };
    for (const name of ["forward-one", "forward-two"]) {
      const { status } = await space().until(name, running);
      await expect
        .poll(() => received(open(`${name}/portforward?ports=85`, "v4.channel.k8s.io")), polling)
        // Both channels begin with the port.
        .toBe(`U\0U\0${name}`);
      const command = ["ip", "-oneline", "-4", "address", "show", "eth0"].map((arg) => `&command=${arg}`).join("");
      const shown = await received(open(`${name}/exec?stdout=true&container=b${command}`, "v4.channel.k8s.io"));
      expect(/ inet ([\d.]+)/.exec(shown)?.[1]).toBe(status?.podIP);
      expect(await space().log(name, "container=b")).toBe(`${name}\n`);
    }
  });

  test("host ports lead to the pod from this machine and from pods until the pod ends", async () => {
    await space().pod("host-port", {
      containers: [
        {
          ...greeting("a", { port: 86, greeting: "by host port" }),
          ports: [{ containerPort: 86, hostPort: 18_286 }],
        },
      ],
    });
    await space().until("host-port", running);
    for (const address of ["127.0.0.1", nodeAddress()])
      await expect.poll(() => greetingOf(address, 18_286), polling).toBe("by host port");
    expect(await runPython("host-port-client", [`greet(${JSON.stringify(nodeAddress())}, 18286)`])).toBe(
      "by host port\n",
    );
    await space().remove("host-port");
    await expect.poll(() => greetingOf("127.0.0.1", 18_286), polling).toBe("ECONNREFUSED");
  });

  test("pods of the host's network listen on this machine, and other pods and services reach them", async () => {
    await space().create("services", {
      kind: "Service",
      metadata: { name: "of-host" },
      spec: { selector: { app: "host-network" }, ports: [{ port: 80, targetPort: 18_287 }] },
    });
    await space().pod("host-network", {
      ...{ hostNetwork: true, dnsPolicy: "ClusterFirstWithHostNet" },
      containers: [greeting("a", { port: 18_287, greeting: "of the host" })],
    });
    const pod = await space().until("host-network", running);
    expect(addressOf(pod)).toBe(nodeAddress());
    await expect.poll(() => greetingOf("127.0.0.1", 18_287), polling).toBe("of the host");
    const calls = [`greet(${JSON.stringify(nodeAddress())}, 18287)`, "greet('of-host', 80)"];
    expect(await runPython("host-network-client", calls)).toBe("of the host\nof the host\n");
    // From the host's network, the same name leads to this machine, and pods have their addresses.
    await space().pod("inner", { containers: [greeting("a", { port: 18_288, greeting: "of a pod" })] });
    const inner = addressOf(await space().until("inner", running));
    const outward = [`greet('host.firesteel.internal', 18287)`, `greet(${JSON.stringify(inner)}, 18288)`];
    expect(await runPython("host-network-out", outward, { hostNetwork: true })).toBe("of the host\nof a pod\n");
  });
});
