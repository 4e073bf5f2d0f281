import { expect, test } from "vitest";
import { type TestRequest, type TestResponse, testWeb } from "../../hadoop/test-web.ts";
import { testHost } from "../../host/test-host.ts";
import { openResourceManager } from "./resource-manager.ts";

const servers = ["http://rm1:8088", "http://rm2:8088"];

function open(respond: (request: TestRequest) => TestResponse) {
  const web = testWeb(respond);
  const { connections, requests } = web;
  const host = testHost();
  const user = { name: "ann", proxied: "bob" };
  const resourceManager = openResourceManager(host, { servers, user, connections });
  return { resourceManager, host, lines: () => requests.map(({ line }) => line), requests };
}

test("a standby ResourceManager names the active one, which gets the same request", async () => {
  const { resourceManager, lines, requests } = open(({ url, method }) =>
    url.hostname === "rm1"
      ? { status: 307, headers: { location: `http://rm2:8088${url.pathname}${url.search}` } }
      : { status: 202, json: { method } },
  );
  await resourceManager.submit("application_1_1", { queue: "q" });
  const query = "?user.name=ann&doAs=bob";
  expect(lines()).toEqual(["rm1", "rm2"].map((rm) => `POST http://${rm}:8088/ws/v1/cluster/apps${query}`));
  expect(requests.map(({ body }) => Buffer.from(body).toString())).toEqual(Array(2).fill('{"queue":"q"}'));
});

test("queries all ResourceManagers again while none is active", async () => {
  let requestCount = 0;
  const { resourceManager, host } = open(() => {
    requestCount += 1;
    const page = { text: "There is no active RM", headers: { refresh: "3; url=http://rm2:8088" } };
    return requestCount < 6 ? page : { json: { app: { id: "application_1_1", state: "RUNNING" } } };
  });
  const report = await host.clock.settle(resourceManager.report("application_1_1"));
  expect(report).toMatchObject({ state: "RUNNING" });
});

test.each([
  {},
  [[]],
  null,
  ...["../../data", "application_1_0001/../..", "application_x_1", 1, null, "application_1_1\n"].map((id) => ({
    ...{ "application-id": id, "maximum-resource-capability": { memory: 1 } },
  })),
])("rejects a response without an application ID: %j", async (json) => {
  const { resourceManager } = open(() => ({ json }));
  await expect(resourceManager.newApplication()).rejects.toMatchObject({
    code: "SUBMIT_ERR_HADOOP_REJECTED",
  });
});
