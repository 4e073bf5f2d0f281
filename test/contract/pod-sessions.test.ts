import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer as createHttpServer, type IncomingMessage } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import WebSocket from "ws";
import { nodeHost } from "../../src/host/node-host.ts";
import { type EmbeddedCluster, startCluster } from "../../src/local-cluster/index.ts";
import { call, createObject } from "./cluster-client.ts";

const pods = "/api/v1/namespaces/default/pods";
const directory = mkdtempSync(join(tmpdir(), "firesteel-pod-sessions-"));
let cluster: EmbeddedCluster;

beforeAll(async () => {
  const host = nodeHost();
  cluster = await startCluster(host, {
    ...{ directory, apiOnly: false, sandbox: "auto", sparkHomes: [], javaHome: undefined },
    // Servers of these tests listen at the pod's address on this machine.
    network: "shared",
  });
  await createObject(cluster.transport, "pods", {
    ...{ apiVersion: "v1", kind: "Pod", metadata: { name: "p", labels: { app: "p" } } },
    spec: {
      terminationGracePeriodSeconds: 0,
      containers: [
        {
          ...{ name: "main", image: "busybox:1", stdin: true, imagePullPolicy: "IfNotPresent" },
          command: ["sh", "-c", "while read line; do echo got $line; echo oh >&2; done; exec sleep 1000"],
        },
      ],
    },
  });
  for (let tries = 0; tries < 400; tries += 1) {
    const pod = await call(cluster.transport, { method: "GET", path: `${pods}/p` });
    if (pod.includes('"phase":"Running"')) return;
    await host.clock.sleep(25);
  }
});
afterAll(async () => {
  await cluster.stop();
  rmSync(directory, { recursive: true, force: true });
});

function open(path: string, protocols: string[], { token = cluster.token } = {}): WebSocket {
  const socket = new WebSocket(`${cluster.url.replace("https", "wss")}${pods}/${path}`, protocols, {
    ca: cluster.certificateAuthority,
    headers: { authorization: `Bearer ${token}` },
  });
  onTestFinished(() => socket.terminate());
  return socket;
}

const channel = (number: number, content: string | Buffer) => Buffer.concat([Buffer.of(number), Buffer.from(content)]);

/** Reads all messages by channel until the server closes, and the close code. */
async function received(socket: WebSocket) {
  const texts: Record<number, string> = {};
  socket.on("message", (data) => {
    if (!Buffer.isBuffer(data)) return;
    texts[data[0] ?? 0] = (texts[data[0] ?? 0] ?? "") + data.subarray(1).toString("latin1");
  });
  const [code] = await once(socket, "close");
  return { texts, code };
}

/** Reads the status and text of a rejected upgrade. */
function rejection(socket: WebSocket) {
  return new Promise<string>((resolve) => {
    socket.on("error", () => {});
    socket.on("unexpected-response", (_, response) => {
      let text = `${response.statusCode} `;
      response.on("data", (chunk) => {
        text += chunk;
      });
      response.on("end", () => resolve(text));
    });
  });
}

const args = (...command: string[]) => command.map((arg) => `&command=${encodeURIComponent(arg)}`).join("");
const outputs = "stdout=true&stderr=true";

describe("exec over a WebSocket", () => {
  test("sends outputs in channels, and the outcome at the end", async () => {
    const socket = open(`p/exec?${outputs}${args("sh", "-c", "echo out; echo bad >&2; exit 3")}`, [
      "v4.channel.k8s.io",
    ]);
    const { texts, code } = await received(socket);
    expect(texts).toMatchObject({ 1: "out\n", 2: "bad\n" });
    expect(JSON.parse(texts[3] ?? "")).toMatchObject({
      ...{ status: "Failure", reason: "NonZeroExitCode" },
      details: { causes: [{ reason: "ExitCode", message: "3" }] },
    });
    expect(code).toBe(1000);
  });

  test("reads its input to the end, which version 5 signals", async () => {
    const socket = open(`p/exec?stdin=true&stdout=true${args("wc", "-c")}`, ["v5.channel.k8s.io", "v4.channel.k8s.io"]);
    socket.on("open", () => {
      socket.send(channel(0, "123"));
      socket.send(channel(0, "45"));
      socket.send(channel(255, Buffer.of(0)));
    });
    const { texts } = await received(socket);
    expect(socket.protocol).toBe("v5.channel.k8s.io");
    expect(texts).toEqual({ 1: "5\n", 3: JSON.stringify({ metadata: {}, status: "Success" }) });
  });

  test.each([
    [[], "", "command terminated with non-zero exit code: command terminated with exit code 3"],
    [
      ["channel.k8s.io"],
      "channel.k8s.io",
      "command terminated with non-zero exit code: command terminated with exit code 3",
    ],
    [
      ["v9.channel.k8s.io", "base64.channel.k8s.io", "channel.k8s.io"],
      "base64.channel.k8s.io",
      "command terminated with",
    ],
    [["v4.base64.channel.k8s.io", "v4.channel.k8s.io"], "v4.base64.channel.k8s.io", '"reason":"NonZeroExitCode"'],
  ])("serves the older protocols %j", async (offered, chosen, outcome) => {
    const socket = open(`p/exec?stdin=true&${outputs}${args("sh", "-c", "head -c 3; exit 3")}`, offered);
    const isBase64 = chosen.includes("base64");
    const messages: Buffer[] = [];
    socket.on("message", (data, isBinary) => {
      expect(isBinary).toBe(!isBase64);
      const bytes = Buffer.from(String(data), isBinary ? "latin1" : "utf8");
      messages.push(
        isBase64 ? channel(Number(bytes.toString()[0]), Buffer.from(bytes.toString().slice(1), "base64")) : bytes,
      );
    });
    socket.on("open", () => socket.send(isBase64 ? `0${Buffer.from("in!").toString("base64")}` : channel(0, "in!")));
    const [code] = await once(socket, "close");
    expect([code, socket.protocol]).toEqual([1000, chosen]);
    expect(messages[0]).toEqual(channel(1, ""));
    expect(messages[1]).toEqual(channel(1, "in!"));
    expect(messages.at(-1)?.[0]).toBe(3);
    expect(String(messages.at(-1))).toContain(outcome);
  });

  test("sends nothing after a command that succeeds, in the oldest protocols", async () => {
    const { texts } = await received(open(`p/exec?stdout=true${args("echo", "out")}`, ["channel.k8s.io"]));
    expect(texts).toEqual({ 1: "out\n" });
  });

  test.each([
    [[], ""],
    [["binary.k8s.io"], "binary.k8s.io"],
    [["base64.binary.k8s.io"], "base64.binary.k8s.io"],
  ])("sends a log as frames, with protocols %j", async (offered, chosen) => {
    const echo = open(`p/attach?stdin=true&stdout=true`, ["v4.channel.k8s.io"]);
    await once(echo, "open");
    echo.send(channel(0, "log line\n"));
    await once(echo, "message");
    await expect
      .poll(() => call(cluster.transport, { method: "GET", path: `${pods}/p/log` }))
      .toContain("got log line\n");
    const socket = open("p/log?tailLines=1", offered);
    const parts: string[] = [];
    socket.on("message", (data) => parts.push(String(data)));
    const [code] = await once(socket, "close");
    expect([code, socket.protocol, parts[0]]).toEqual([1000, chosen, ""]);
    const text = parts.map((part) => (chosen.startsWith("base64") ? Buffer.from(part, "base64").toString() : part));
    // The container may write further lines in the meantime.
    expect(text.join("")).toMatch(/^((got log line|oh)\n)+$/);
  });

  test("omits streams that were not requested", async () => {
    const socket = open(`p/exec?stdout=true${args("sh", "-c", "echo out; echo bad >&2")}`, ["v5.channel.k8s.io"]);
    expect(Object.keys((await received(socket)).texts)).toEqual(["1", "3"]);
  });

  test("reports a missing command", async () => {
    const { texts } = await received(open(`p/exec?${outputs}${args("nosuch")}`, ["v5.channel.k8s.io"]));
    expect(JSON.parse(texts[3] ?? "")).toMatchObject({
      ...{ status: "Failure", reason: "InternalError", code: 500 },
      message: expect.stringContaining('exec: "nosuch": executable file not found in $PATH'),
    });
  });

  test.each([
    [`nope/exec?${outputs}${args("ls")}`, '404 .*pods \\\\"nope\\\\" not found'],
    [`p/exec?${outputs}`, "400 .*you must specify at least one command"],
    [`p/exec?container=x&${outputs}${args("ls")}`, "400 .*container x is not valid for pod p"],
    [`p/portforward?ports=${Array(129).fill(80)}`, "400 .*at most 128 ports are supported, got 129"],
    [`p/exec?command=ls`, "400 .*at least 1 of stdin, stdout, stderr"],
  ])("is rejected: %s", async (path, reason) => {
    expect(await rejection(open(path, ["v5.channel.k8s.io"]))).toMatch(new RegExp(reason));
  });

  test("is rejected with unknown protocols and without a WebSocket", async () => {
    expect(await rejection(open(`p/exec?${outputs}&command=ls`, ["v9.channel.k8s.io"]))).toMatch(/^403 unable/);
    const plain = await cluster.transport({
      ...{ method: "GET", path: `${pods}/p/exec?${outputs}&command=ls`, headers: {} },
    });
    expect(plain.status).toBe(400);
  });

  test("requires the permission to create, whatever the method is", async () => {
    const account = { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "reader" } };
    await createObject(cluster.transport, "serviceaccounts", account);
    const rbac = "/apis/rbac.authorization.k8s.io/v1/namespaces/default";
    const body = (object: object) => JSON.stringify({ metadata: { name: "reader" }, ...object });
    await call(cluster.transport, {
      ...{ method: "POST", path: `${rbac}/roles` },
      body: body({ rules: [{ apiGroups: [""], resources: ["pods/exec"], verbs: ["get"] }] }),
    });
    await call(cluster.transport, {
      ...{ method: "POST", path: `${rbac}/rolebindings` },
      body: body({
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "reader" },
        subjects: [{ kind: "ServiceAccount", name: "reader", namespace: "default" }],
      }),
    });
    const respond = await call(cluster.transport, {
      ...{ method: "POST", path: "/api/v1/namespaces/default/serviceaccounts/reader/token", body: "{}" },
    });
    const token: string = JSON.parse(respond).status.token;
    const refused = await rejection(open(`p/exec?${outputs}&command=ls`, ["v5.channel.k8s.io"], { token }));
    expect(refused).toMatch(/^403 .*cannot create resource .*pods\/exec/);
  });
});

describe("attach over a WebSocket", () => {
  test("connects the input and outputs of the container's own command", async () => {
    const socket = open(`p/attach?stdin=true&${outputs}`, ["v5.channel.k8s.io"]);
    socket.on("open", () => socket.send(channel(0, "a line\n")));
    const seen: Record<number, string> = {};
    await new Promise<void>((resolve) => {
      socket.on("message", (data) => {
        if (Buffer.isBuffer(data)) seen[data[0] ?? 0] = data.subarray(1).toString("utf8");
        if (Object.keys(seen).length === 2) resolve();
      });
    });
    expect(seen).toEqual({ 1: "got a line\n", 2: "oh\n" });
  });
});

describe("the proxy of pods and services", () => {
  /** Starts a web server in the pod that responds with properties of the request. */
  async function server(respond: (request: IncomingMessage, body: string) => [object, string]): Promise<number> {
    const started = createHttpServer(async (request, response) => {
      let body = "";
      for await (const chunk of request) body += chunk;
      const [headers, text] = respond(request, body);
      response.writeHead("location" in headers ? 302 : 200, { ...headers }).end(text);
    });
    await once(started.listen(0, await podAddress()), "listening");
    onTestFinished(() => {
      started.close();
    });
    return portOf(started.address());
  }
  const send = async (method: "GET" | "POST", path: string, more: { body?: string; accept?: string } = {}) => {
    const { body, accept = "*/*" } = more;
    const respond = await cluster.transport({
      ...{ method, path: `/api/v1/namespaces/default/${path}`, headers: { accept } },
      ...(body === undefined ? {} : { body }),
    });
    let text = "";
    for await (const chunk of respond.body) text += Buffer.from(chunk).toString("utf8");
    return { ...respond, text };
  };

  test("forwards requests and responses without credentials", async () => {
    const port = await server(({ method, url, headers }, body) => [
      { "content-type": "application/x-own" },
      `${method} ${url} ${body} ${headers.authorization} ${headers["x-forwarded-uri"]}`,
    ]);
    const path = `pods/p:${port}/proxy/a%2Fb/?q=%20&watch=true`;
    const { status, headers, text } = await send("POST", path, { body: "hello", accept: "text/html" });
    expect({ status, type: headers["content-type"] }).toEqual({ status: 200, type: "application/x-own" });
    const seen = `/api/v1/namespaces/default/pods/p:${port}/proxy/a%2Fb/`;
    expect(text).toBe(`POST /a%2Fb/?q=%20&watch=true hello undefined ${seen}`);
  });

  test("rewrites links and redirects to go through the proxy", async () => {
    const page = '<a href="/jobs/">x</a><img src=\'/x.png\'><a href="//other/">y</a><a href="here">z</a>';
    const port = await server(({ url }) =>
      url === "/" ? [{ location: "/jobs/" }, ""] : [{ "content-type": "text/html" }, page],
    );
    const root = `/api/v1/namespaces/default/pods/p:${port}/proxy`;
    expect((await send("GET", `pods/p:${port}/proxy?x=1`)).headers["location"]).toBe(`${root}/?x=1`);
    expect((await send("GET", `pods/p:${port}/proxy/`)).headers["location"]).toBe(`${root}/jobs/`);
    expect((await send("GET", `pods/p:${port}/proxy/jobs/`)).text).toBe(
      `<a href="${root}/jobs/">x</a><img src='${root}/x.png'><a href="//other/">y</a><a href="here">z</a>`,
    );
  });

  test("finds a pod behind a service, by the port's number or name", async () => {
    const port = await server(({ url }) => [{}, `at ${url}`]);
    await createObject(cluster.transport, "services", {
      ...{ apiVersion: "v1", kind: "Service", metadata: { name: "s" } },
      spec: { selector: { app: "p" }, ports: [{ name: "web", port: 80, targetPort: port }] },
    });
    for (let tries = 0; tries < 100; tries += 1) {
      if ((await send("GET", "endpoints/s")).text.includes(`"port":${port}`)) break;
      await nodeHost().clock.sleep(20);
    }
    for (const name of ["s:80", "s:web", "http:s:web"])
      expect((await send("GET", `services/${name}/proxy/x`)).text).toBe("at /x");
    expect(JSON.parse((await send("GET", "services/s:81/proxy/")).text)).toMatchObject({
      ...{ code: 503, reason: "ServiceUnavailable", message: 'no service port 81 found for service "s"' },
    });
  });

  test.each([
    ["pods/nope/proxy/", 404, 'pods "nope" not found'],
    ["pods/p:1/proxy/", 503, "error trying to reach service: dial tcp4 .*: connect: connection refused"],
    ["services/s2/proxy/", 404, 'services "s2" not found'],
    ["pods/ftp:p:80/proxy/", 400, 'invalid pod request "ftp:p:80"'],
  ])("refuses %s", async (path, code, message) => {
    const { text } = await send("GET", path);
    expect(JSON.parse(text)).toMatchObject({ code, message: expect.stringMatching(message) });
  });
});

async function podAddress(): Promise<string> {
  const pod: { status: { podIP: string } } = JSON.parse(
    await call(cluster.transport, { method: "GET", path: `${pods}/p` }),
  );
  return pod.status.podIP;
}

function portOf(address: AddressInfo | string | null): number {
  return typeof address === "object" ? (address?.port ?? 0) : 0;
}

describe("port forwarding over a WebSocket, by channels", () => {
  test("forwards both directions and reports unreachable ports", async () => {
    const server = createServer((socket) => socket.on("data", (chunk) => socket.end(`echo ${chunk}`)));
    await once(server.listen(0, await podAddress()), "listening");
    onTestFinished(() => {
      server.close();
    });
    const port = portOf(server.address());
    const socket = open(`p/portforward?ports=${port},1`, ["v4.channel.k8s.io"]);
    socket.on("open", () => socket.send(channel(0, "hello")));
    const { texts, code } = await received(socket);
    const number = String.fromCharCode(port & 0xff, port >> 8);
    expect(texts).toEqual({
      ...{ 0: `${number}echo hello`, 1: number, 2: "\u0001\0" },
      3: expect.stringMatching(/error forwarding port 1 to pod .*connection refused/),
    });
    expect(code).toBe(1000);
  });
});
