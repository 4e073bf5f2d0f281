import { createServer } from "node:http";
import { connect } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { testClock } from "../../host/test-clock.ts";
import { testHost } from "../../host/test-host.ts";
import { kubeClient } from "../../kube-client/client.ts";
import { testApi } from "../../kube-client/test-api.ts";
import { allPermissions } from "../model/permissions.ts";
import { testApplication, testRecord } from "../model/test-application.ts";
import { openSealedValues } from "../secrets/sealed-values.ts";
import type { UiSource } from "./ui-links.ts";
import { uiPageProtocol } from "./ui-page-protocol.ts";
import { uiTickets } from "./ui-tickets.ts";

const application = testApplication({ record: testRecord({ appId: "spark-1" }) });

/** Opens the pages of a driver that prints the requests to it. */
async function open(source: UiSource = "driver") {
  const received: string[] = [];
  const server = createServer((request, response) => {
    received.push(`${request.method} ${request.url}`);
    response.end("page");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  const port = (typeof address === "object" ? address?.port : undefined) ?? 0;
  const clock = testClock(0);
  const host = { ...testHost(), clock };
  const pod = { status: 200, body: { kind: "Pod", metadata: { name: "pi-driver" }, spec: { containers: [] } } };
  const options = { server: "https://api", clock, requestTimeoutMs: 1000, log: () => {} };
  const tickets = uiTickets(openSealedValues(host));
  const logged: unknown[] = [];
  const protocol = uiPageProtocol({
    client: {
      ...kubeClient({ ...options, transport: testApi(() => pod).transport }),
      connectToPod: async () => connect(port, "127.0.0.1"),
    },
    ...{ clock, tickets, applications: { get: (key) => (key === "api-0" ? application : undefined) } },
    ...{ links: () => ({ uiUrl: "/applications/api-0/ui/" }), sourceOf: () => source },
    historyPort: () => port,
    addresses: { uis: () => "http://ui", gateway: () => "http://gateway/spark" },
    log: (_, __, fields) => void logged.push(fields),
  });
  const send = (method: string, path: string, headers: Readonly<Record<string, string>> = {}) =>
    protocol.respond({
      ...{ method, path, query: new URLSearchParams(), headers, principal: { user: undefined, groups: [] } },
      ...{ permissions: allPermissions, signal: new AbortController().signal },
      readBody: async () => Buffer.from("id=3"),
    });
  return { send, tickets, received, logged, clock };
}

test("a reader who may kill applications ends jobs by POST, which the audit log shows", async () => {
  const { send, tickets, received, logged } = await open();
  const ticket = tickets.issue("api-0", { user: "alice", canKill: true });
  expect(await send("POST", `/api-0/${ticket}/jobs/job/kill/`)).toMatchObject({ status: 200 });
  expect(received).toEqual(["POST /jobs/job/kill/"]);
  expect(logged).toEqual([
    { action: "kill in the UI", user: "alice", key: "api-0", path: "/jobs/job/kill/", result: "accepted" },
  ]);
});

test.each([
  ["POST", "/jobs/job/kill/", 403],
  ["POST", "/jobs/", 405],
  ["GET", "/jobs/job/k%69ll/", 405],
  ["DELETE", "/jobs/job/kill/", 405],
])("%s %s of another reader does not reach the driver", async (method, path, status) => {
  const { send, tickets, received } = await open();
  const ticket = tickets.issue("api-0", { canKill: false });
  expect(await send(method, `/api-0/${ticket}${path}`)).toMatchObject({ status });
  expect(received).toEqual([]);
});

test("a ticket is for one application and 10 minutes, after which a page gets another one from the gateway", async () => {
  const { send, tickets, received, clock } = await open();
  const path = `/api-0/${tickets.issue("api-0", { canKill: true })}/stages/`;
  const other = `/api-0/${tickets.issue("api-1", { canKill: true })}/stages/`;
  const renewed = { status: 302, headers: { location: "http://gateway/spark/applications/api-0/ui/stages/" } };
  expect(await send("GET", other)).toMatchObject(renewed);
  await clock.advance(600_000);
  expect(await send("GET", path)).toMatchObject(renewed);
  expect(await send("GET", path, { "sec-fetch-dest": "script" })).toMatchObject({ status: 403 });
  expect(await send("POST", `${path}kill/`)).toMatchObject({ status: 403 });
  expect(received).toEqual([]);
});

test("a reader of the history server sees the pages of one application, and changes nothing", async () => {
  const { send, tickets, received } = await open("history");
  const base = `/api-0/${tickets.issue("api-0", { canKill: true })}`;
  expect(await send("GET", `${base}/history/spark-1/jobs/`)).toMatchObject({ status: 200 });
  const location = `${base}/history/spark-1/jobs/`;
  expect(await send("GET", `${base}/history/spark-2/jobs/`)).toMatchObject({ status: 302, headers: { location } });
  expect(await send("POST", `${base}/history/spark-1/jobs/job/kill/`)).toMatchObject({ status: 405 });
  expect(received).toEqual(["GET /history/spark-1/jobs/"]);
});
