import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { SparkConf } from "../../src/conf/spark-conf.ts";
import { gatewaySettings } from "../../src/gateway/gateway-settings.ts";
import { withoutAuthentication } from "../../src/gateway/http/authenticate.ts";
import { openGateway } from "../../src/gateway/index.ts";
import { allPermissions } from "../../src/gateway/model/permissions.ts";
import { nodeHost } from "../../src/host/node-host.ts";
import { overrideHost } from "../../src/host/override-host.ts";
import { kubeClient } from "../../src/kube-client/client.ts";
import { startApi } from "./embedded-api.ts";
import { eventually } from "./gateway-cluster.ts";

interface Reply {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Starts a gateway with all protocols, on an API that can become unreachable. */
async function startGateway() {
  const directory = mkdtempSync(join(tmpdir(), "gateway-"));
  const cluster = await startApi(directory);
  const host = overrideHost(nodeHost(), { stdout: { isTerminal: false, columns: 80, write: () => {} } });
  let isDown = false;
  const client = kubeClient({
    ...{ server: cluster.url, clock: host.clock, log: () => {}, requestTimeoutMs: 10_000 },
    async transport(request) {
      if (isDown) throw Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });
      return cluster.transport(request);
    },
    retry: { retries: 0 },
  });
  const options = { value: (option: string) => (option === "--port" ? "0" : undefined), has: () => false };
  const { settings } = gatewaySettings(host, options, { defaults: new Map(), properties: new Map() });
  const defaults = { "spark.kubernetes.container.image": "spark:4.3.0" };
  const dashboardDirectory = join(directory, "dashboard");
  host.files.makeDirectory(dashboardDirectory);
  host.files.write(join(dashboardDirectory, "index.html"), "");
  const gateway = await openGateway({
    ...{
      host,
      client,
      master: "k8s://https://127.0.0.1:6443",
      conf: new SparkConf([], { line: "4.3", text: "4.3.0" }, { env: {}, defaults: () => undefined }),
      dashboardDirectory,
    },
    settings: { ...settings, defaults, ownNamespace: "default", namespace: "default", namespaces: ["default"] },
    ...{ authenticate: withoutAuthentication, authorize: async () => allPermissions },
  });
  onTestFinished(async () => {
    isDown = false;
    await gateway.stop();
    await cluster.stop();
    rmSync(directory, { recursive: true });
  });
  return {
    setDown: (down: boolean) => {
      isDown = down;
    },
    async send(method: string, path: string, body?: object): Promise<Reply> {
      const reply = await fetch(`http://127.0.0.1:${gateway.port}${path}`, {
        ...{ method, headers: { "content-type": "application/json" } },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const text = await reply.text();
      return { status: reply.status, retryAfter: reply.headers.get("retry-after"), body: fieldsOf(text) };
    },
  };
}

function fieldsOf(text: string): Reply["body"] {
  return text.startsWith("{") ? JSON.parse(text) : {};
}

const app = "local:///opt/app.jar";
const restRequest = {
  ...{ action: "CreateSubmissionRequest", clientSparkVersion: "4.3.0", appResource: app, mainClass: "Main" },
  ...{ appArgs: [], environmentVariables: {}, sparkProperties: { "spark.app.name": "pi" } },
};
const submitterRequest = {
  submission_id: "11111111-1111-4111-8111-111111111111",
  spark_submit_args: ["--master", "k8s://https://h", "--deploy-mode", "cluster", "--class", "Main", app],
};

test("each protocol responds with 503 and Retry-After in its own form while the API does not respond", async () => {
  const { send, setDown } = await startGateway();
  const [api, livy, rest] = [
    await send("POST", "/api/v1/applications", { name: "pi", app, class: "Main" }),
    await send("POST", "/batches", { file: app, className: "Main" }),
    await send("POST", "/v1/submissions/create", restRequest),
  ];
  expect([api.status, livy.status, rest.status]).toEqual([201, 201, 200]);
  setDown(true);
  const key = String(api.body["key"]);
  const replies = {
    apiSubmit: await send("POST", "/api/v1/applications", { name: "pi", app, class: "Main" }),
    apiKill: await send("POST", `/api/v1/applications/${key}/kill`),
    apiEvents: await send("GET", `/api/v1/applications/${key}/events`),
    livySubmit: await send("POST", "/batches", { file: app, className: "Main" }),
    livyDelete: await send("DELETE", `/batches/${livy.body["id"]}`),
    restSubmit: await send("POST", "/v1/submissions/create", restRequest),
    restKill: await send("POST", `/v1/submissions/kill/${rest.body["submissionId"]}`),
    submitter: await send("POST", "/api/v1/spark-submit", submitterRequest),
  };
  for (const [name, { status, retryAfter }] of Object.entries(replies))
    expect([name, status, retryAfter]).toEqual([name, 503, "5"]);
  const problem = { title: "Service Unavailable", status: 503, detail: expect.stringContaining("ECONNREFUSED") };
  for (const { body } of [replies.apiSubmit, replies.apiKill, replies.apiEvents]) expect(body).toEqual(problem);
  for (const { body } of [replies.livySubmit, replies.livyDelete])
    expect(body).toEqual({ msg: expect.stringContaining("ECONNREFUSED") });
  for (const { body } of [replies.restSubmit, replies.restKill])
    expect(body).toMatchObject({ action: "ErrorResponse", message: expect.stringContaining("ECONNREFUSED") });
  expect(replies.submitter.body).toMatchObject({ status: 503, error_code: "SUBMITTER_OVERLOADED" });
  setDown(false);
  await eventually(async () =>
    (await send("POST", `/api/v1/applications/${key}/kill`)).status === 202 ? true : undefined,
  );
});
