import { createHmac } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { EndReceivers } from "../../src/gateway/model/end-receivers.ts";
import {
  driversIn,
  endedStatus,
  eventually,
  killedAfter,
  openGatewayApplications,
  setStatus,
  testApplication,
  withCluster,
} from "./gateway-cluster.ts";
import { type GatewayProcess, pendingDrivers, startGateway, startGatewayOn } from "./gateway-process.ts";
import { type Received, startReceiver } from "./http-receiver.ts";
import { temporaryDirectory } from "./programs.ts";

const key = Buffer.alloc(32, 9);
const secret = `whsec_${key.toString("base64")}`;

/** Starts a receiver of webhooks, which responds with a status, or not at all. */
async function startHook(statusOf: () => number | "none") {
  const received: Received[] = [];
  const url = await startReceiver((request) => {
    received.push(request);
    return statusOf();
  });
  return { url: `${url}/hook`, received };
}

function isSigned({ headers, body }: Received): boolean {
  const content = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`;
  return headers["webhook-signature"] === `v1,${createHmac("sha256", key).update(content).digest("base64")}`;
}

async function submitAndKill(gateway: GatewayProcess): Promise<unknown> {
  const body = { name: "pi", app: "local:///pi.py", conf: { "spark.x": "hidden" } };
  const { status, json } = await gateway.send("POST", "/api/v1/applications", { body });
  expect(status).toBe(201);
  expect((await gateway.send("POST", `/api/v1/applications/${json["key"]}/kill`)).status).toBe(202);
  return json["key"];
}

test("webhooks get the changes of applications with signatures, and a slow one delays no other", async () => {
  const directory = temporaryDirectory();
  const [slow, chat] = [await startHook(() => "none"), await startHook(() => 204)];
  writeFileSync(join(directory, "secret"), `${secret}\n`);
  writeFileSync(
    join(directory, "gateway.conf"),
    [
      `gateway.webhook.slow.url ${slow.url}`,
      `gateway.webhook.slow.secretFile ${join(directory, "secret")}`,
      `gateway.webhook.chat.url ${chat.url}`,
      `gateway.webhook.chat.secretFile ${join(directory, "secret")}`,
      "gateway.webhook.chat.states queued,killed",
    ].join("\n"),
  );
  const options = ["--properties-file", join(directory, "gateway.conf"), ...pendingDrivers];
  const gateway = await startGateway(...options);
  const application = await submitAndKill(gateway);
  await eventually(() => (chat.received.length === 2 ? true : undefined));
  expect(chat.received.map(isSigned)).toEqual([true, true]);
  const events = chat.received.map(({ body }) => JSON.parse(body));
  expect(events).toMatchObject([
    { type: "application.queued", data: { key: application, name: "pi" } },
    { type: "application.killed", data: { key: application, state: "killed", history: expect.any(Array) } },
  ]);
  const metrics = await eventually(async () => {
    const { text } = await gateway.send("GET", "/metrics");
    return text.includes('webhook_delivered_total{webhook="chat"} 2') ? text : undefined;
  });
  expect(metrics).toContain('firesteel_gateway_webhook_pending{webhook="slow"} 1');
  expect(await gateway.stop()).toBe(0);
  expect(gateway.output() + JSON.stringify(events)).not.toMatch(/whsec_|hidden/);
});

test("an end that a webhook has not accepted before the gateway is killed is sent after the restart", async () => {
  const directory = temporaryDirectory();
  let status = 500;
  const chat = await startHook(() => status);
  const conf = [`gateway.webhook.chat.url ${chat.url}`, "gateway.webhook.chat.secretVariable HOOK_SECRET"];
  writeFileSync(join(directory, "gateway.conf"), [...conf, "gateway.webhook.chat.states killed"].join("\n"));
  const options = ["--properties-file", join(directory, "gateway.conf")];
  await withCluster(async (cluster) => {
    const gateway = await startGatewayOn(cluster, { HOOK_SECRET: secret }, ...options);
    const application = await submitAndKill(gateway);
    await eventually(() => (chat.received.length > 0 ? true : undefined));
    expect((await gateway.send("DELETE", `/api/v1/applications/${application}`)).status).toBe(204);
    await gateway.kill();
    status = 200;
    const earlier = chat.received.length;
    const again = await startGatewayOn(cluster, { HOOK_SECRET: secret }, ...options);
    await eventually(() => (chat.received.length > earlier ? true : undefined));
    expect(new Set(chat.received.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
    expect(JSON.parse(chat.received.at(-1)?.body ?? "")).toMatchObject({ type: "application.killed" });
    expect((await again.send("GET", `/api/v1/applications/${application}`)).status).toBe(404);
    await again.stop();
  });
});

test("a gateway that is killed after any request delivers the end of each application", async () => {
  await withCluster(async (cluster) => {
    for (let requests = 0; requests < 10; requests += 1) {
      const delivered = new Set<string>();
      const receivers: EndReceivers = {
        namesFor: () => ["chat"],
        async deliver(_, { record }) {
          delivered.add(record.key);
          return true;
        },
      };
      const setUp = await openGatewayApplications(cluster, cluster.transport, { receivers });
      const result = await setUp.submit(testApplication());
      if (result.kind !== "accepted") throw new Error(JSON.stringify(result));
      const { key: submitted, podName } = result.application.record;
      await eventually(async () => (await driversIn(cluster)).find(({ metadata }) => metadata?.name === podName));
      await setUp.close();
      await setStatus(cluster, podName, endedStatus(0));
      const { transport, isDead } = killedAfter(cluster.transport, requests);
      // It never gets a response, as if it had been killed.
      const pending: EndReceivers = { ...receivers, deliver: () => new Promise(() => {}) };
      const first = openGatewayApplications(cluster, transport, { receivers: pending }).then((applications) =>
        applications.remove(submitted, undefined),
      );
      await Promise.race([first, eventually(() => (isDead() ? true : undefined))]);
      const again = await openGatewayApplications(cluster, cluster.transport, { receivers });
      await eventually(() => (delivered.has(submitted) ? true : undefined));
      await again.remove(submitted, undefined);
      await again.close();
    }
  });
});
