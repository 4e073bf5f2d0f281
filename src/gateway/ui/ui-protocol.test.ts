import { createServer, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { testHost } from "../../host/test-host.ts";
import { kubeClient } from "../../kube-client/client.ts";
import { testApi } from "../../kube-client/test-api.ts";
import type { GatewayRequest, GatewayResponse } from "../http/gateway-request.ts";
import type { GatewayApplication, Protocol } from "../model/application.ts";
import { allPermissions } from "../model/permissions.ts";
import { testApplication, testRecord, testSubmission } from "../model/test-application.ts";
import { uiLinks, uiSource } from "./ui-links.ts";
import { uiProtocol } from "./ui-protocol.ts";

function running(protocol: Protocol, id: string, settings: Readonly<Record<string, string>> = {}): GatewayApplication {
  const submission = { ...testSubmission, settings };
  return testApplication({
    record: testRecord({ key: `${protocol}-${id}`, protocol, id, appId: "spark-1", submission }),
  });
}

const own = running("api", "0");
const batch = running("livy", "7", { "spark.ui.proxyBase": "/spark/livy-batch-7-abcdefgh" });
const end = { state: "succeeded", atMs: 0, hasStarted: true } as const;
const ended: GatewayApplication = { ...own, state: "succeeded", record: { ...own.record, key: "api-1", end } };
const all = [own, batch, ended];

/** Starts a driver that prints the requests to it, and the protocol before it. */
async function open(history: "none" | "starts" | "reads" | "serves" = "none") {
  const received: Pick<IncomingMessage, "method" | "url" | "headers">[] = [];
  let onRequest = () => {};
  const requested = new Promise<void>((resolve) => {
    onRequest = resolve;
  });
  const server = createServer((request, response) => {
    received.push(request);
    onRequest();
    if (history === "reads") return;
    if (request.url === "/") response.writeHead(302, { location: "http://driver/jobs/" });
    response.setHeader("content-type", "text/html");
    response.end(`page ${request.url}`);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  const port = (typeof address === "object" ? address?.port : undefined) ?? 0;
  const host = testHost();
  const pod = { status: 200, body: { kind: "Pod", metadata: { name: "pi-driver" }, spec: { containers: [] } } };
  const options = { server: "https://api", clock: host.clock, requestTimeoutMs: 1000, log: () => {} };
  const client = {
    ...kubeClient({ ...options, transport: testApi(() => pod).transport }),
    connectToPod: async () => connect(port, "127.0.0.1"),
  };
  const sourceOf = uiSource({ servesUi: true, hasHistory: history !== "none" });
  const protocol = uiProtocol({
    ...{ client, clock: host.clock, root: "/spark" },
    links: uiLinks({ uiRoot: "/spark", sourceOf, historyServer: "http://history" }),
    ...{ sourceOf, historyPort: () => (history === "starts" ? undefined : port) },
    applications: {
      get: (key) => all.find(({ record }) => record.key === key),
      find: (name, id) => all.find(({ record }) => record.protocol === name && record.id === id),
    },
  });
  const send = async (path: string, method = "GET") => {
    const request: GatewayRequest = {
      ...{ method, path, query: new URLSearchParams({ a: "1" }), headers: { cookie: "c" }, principal },
      permissions: allPermissions,
      ...{ signal: new AbortController().signal, readBody: async () => Buffer.from("") },
    };
    const response = await protocol.respond(request);
    return { ...response, text: await textOf(response) };
  };
  return { protocol, received, requested, send, server, clock: host.clock };
}

const principal = { user: undefined, groups: [] };

async function textOf({ body = "" }: GatewayResponse): Promise<string> {
  if (typeof body === "string" || body instanceof Uint8Array) return body.toString();
  const pieces: Buffer[] = [];
  for await (const piece of body) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces).toString();
}

test("a page comes from the driver, with links below the gateway's path", async () => {
  const { send, received } = await open();
  const response = await send("/applications/api-0/ui/jobs/");
  expect(response).toMatchObject({ status: 200, text: "page /jobs/?a=1", headers: { "content-type": "text/html" } });
  expect(received[0]?.headers).toMatchObject({ "x-forwarded-context": "/spark/applications/api-0/ui" });
  expect(received[0]?.headers.cookie).toBeUndefined();
});

test("the pages of a Livy batch are also below its tag", async () => {
  const { send, received } = await open();
  expect(await send("/livy-batch-7-abcdefgh/stages/")).toMatchObject({ status: 200, text: "page /stages/?a=1" });
  expect(received[0]?.headers["x-forwarded-context"]).toBe("/spark/livy-batch-7-abcdefgh");
  expect(await send("/livy-batch-7-otherone/stages/")).toMatchObject({ status: 404 });
});

test("a path without its slash leads to the page", async () => {
  const { send } = await open();
  expect(await send("/applications/api-0/ui")).toMatchObject({
    ...{ status: 302, headers: { location: "/spark/applications/api-0/ui/" } },
  });
});

test.each(["/jobs/job/kill/", "/stages/stage/k%69ll/", "/stages/stage/kill;a=b/"])(
  "%s of Spark, which ends work by GET, does not reach the driver",
  async (path) => {
    const { send, received } = await open();
    expect(await send(`/applications/api-0/ui${path}`)).toMatchObject({ status: 403 });
    expect(received).toEqual([]);
  },
);

test("other methods than GET and HEAD do not reach the driver", async () => {
  const { send, received } = await open();
  expect(await send("/applications/api-0/ui/jobs/", "POST")).toMatchObject({ status: 405 });
  expect(received).toEqual([]);
});

test("an unknown application has no pages", async () => {
  const { send } = await open();
  expect(await send("/applications/api-9/ui/")).toMatchObject({ status: 404 });
});

test("an application that has ended leads to the history server", async () => {
  const { send } = await open();
  expect(await send("/applications/api-1/ui/")).toMatchObject({
    ...{ status: 302, headers: { location: "http://history/history/spark-1/jobs/" } },
  });
});

test("the pages of an application that has ended come from the gateway's own history server", async () => {
  const { send, received } = await open("serves");
  const base = "/spark/applications/api-1/ui";
  expect(await send("/applications/api-1/ui/")).toMatchObject({
    ...{ status: 302, headers: { location: `${base}/history/spark-1/jobs/` } },
  });
  expect(await send("/applications/api-1/ui/history/spark-2/jobs/")).toMatchObject({ status: 302 });
  expect(received).toEqual([]);
  expect(await send("/applications/api-1/ui/history/spark-1/jobs/")).toMatchObject({
    ...{ status: 200, text: "page /history/spark-1/jobs/?a=1" },
  });
  expect(received[0]?.headers).toMatchObject({ "x-forwarded-context": base });
  expect(received[0]?.headers.cookie).toBeUndefined();
});

test("while the history server starts, its pages are unavailable", async () => {
  const { send } = await open("starts");
  const response = await send("/applications/api-1/ui/history/spark-1/jobs/");
  expect(response).toMatchObject({ status: 503, headers: { "retry-after": "5" } });
});

test("while the history server reads an event log, its pages are unavailable after a longer time than those of a driver", async () => {
  const { send, requested, clock } = await open("reads");
  const page = send("/applications/api-1/ui/history/spark-1/jobs/");
  await requested;
  await clock.advance(50_000);
  const isPending = await Promise.race([page.then(() => false), new Promise((resolve) => setImmediate(resolve, true))]);
  expect(isPending).toBe(true);
  await clock.advance(5000);
  expect(await page).toMatchObject({
    ...{ status: 503, headers: { "retry-after": "5" } },
    text: "The history server is reading the event log of application api-1. Load the page again.\n",
  });
});

test("a driver that does not respond is reported", async () => {
  const { send, server } = await open();
  server.close();
  await new Promise((resolve) => setImmediate(resolve));
  expect(await send("/applications/api-0/ui/jobs/")).toMatchObject({ status: 502 });
});

test("other paths belong to other protocols", async () => {
  const { protocol } = await open();
  const paths = ["/applications/api-0/ui", "/livy-batch-7-abcdefgh/jobs/", "/applications/api-0", "/ui", "/batches/7"];
  expect(paths.map((path) => protocol.owns(path))).toEqual([true, true, false, false, false]);
});
