import { expect, test } from "vitest";
import { testHost } from "../../host/test-host.ts";
import type { HttpRequest, HttpResponse } from "../../net/http-connections.ts";
import type { GatewayState } from "../model/application.ts";
import { testApplication, testRecord } from "../model/test-application.ts";
import { eventId } from "./webhook-event.ts";
import { maxAgeMs, webhookSender } from "./webhook-sender.ts";

const ending = new AbortController();

/** A receiver that responds with these statuses, and with the last one from then on. */
function receiver(...responses: readonly (readonly [number, Readonly<Record<string, string>>?] | "none")[]) {
  const host = testHost();
  const received: { readonly id: string; readonly body: string; readonly atMs: number }[] = [];
  const left = [...responses];
  const start = host.clock.now();
  const send = async ({ headers = {}, body, signal }: HttpRequest): Promise<HttpResponse> => {
    received.push({ id: String(headers["webhook-id"]), body: String(body), atMs: host.clock.now() - start });
    const response = (left.length > 1 ? left.shift() : left[0]) ?? "none";
    if (response === "none")
      return new Promise((_, reject) => signal?.addEventListener("abort", () => reject(new Error("aborted"))));
    const [status, responseHeaders = {}] = response;
    return { status, headers: responseHeaders, body: emptyBody(), close() {} };
  };
  const entries: string[] = [];
  const sender = webhookSender({
    webhook: { name: "chat", url: new URL("https://chat.example"), keys: [new Uint8Array(32)], states: new Set() },
    ...{ clock: host.clock, random: host.random, signal: ending.signal, connections: { send } },
    log: (level, text) => void entries.push(`${level} ${text}`),
    messageOf: (event) => ({ id: eventId("jobs/gateway", event), body: event.application.state }),
  });
  const event = (state: GatewayState, key = "api-1") => {
    return { application: testApplication({ record: testRecord({ key }), state }), atMs: start };
  };
  return { host, sender, received, entries, event };
}

async function* emptyBody(): AsyncGenerator<Uint8Array> {}

test("an event is sent again under the same ID until the receiver accepts it", async () => {
  const { host, sender, received, event } = receiver([500], [302], [200]);
  expect(await host.settle(sender.send(event("failed")))).toBe(true);
  expect(received.map(({ body }) => body)).toEqual(["failed", "failed", "failed"]);
  expect(new Set(received.map(({ id }) => id)).size).toBe(1);
  expect(sender.counts()).toEqual({ delivered: 1, failed: 0, failedAttempts: 2, pending: 0 });
});

test("a receiver gets nothing before the time that it has asked for", async () => {
  const { host, sender, received, event } = receiver([429, { "retry-after": "120" }], [200]);
  const first = sender.send(event("failed"));
  await host.advance(1000);
  const second = sender.send(event("failed", "api-2"));
  await host.settle(Promise.all([first, second]));
  expect(received.map(({ atMs }) => atMs)).toEqual([0, 120_000, 120_000]);
});

test("a receiver that responds with 410 gets nothing until the next start", async () => {
  const { host, sender, received, event } = receiver([410]);
  expect(await host.settle(sender.send(event("failed")))).toBe(true);
  expect(await host.settle(sender.send(event("failed", "api-2")))).toBe(true);
  expect(received).toHaveLength(1);
  expect(sender.isDisabled()).toBe(true);
  expect(sender.counts()).toMatchObject({ failed: 2, pending: 0 });
});

test("an event that the receiver does not accept in a day has failed", async () => {
  const { host, sender, received, entries, event } = receiver([503]);
  expect(await host.settle(sender.send(event("failed")))).toBe(true);
  expect(received.at(-1)?.atMs).toBeGreaterThanOrEqual(maxAgeMs);
  expect(sender.counts()).toMatchObject({ delivered: 0, failed: 1, pending: 0 });
  expect(entries.at(-1)).toBe("ERROR A webhook never gets an event.");
});

test("the last state replaces those that wait", async () => {
  const { host, sender, received, event } = receiver("none", [200]);
  const first = sender.send(event("pending"));
  await host.advance(0);
  const others = (["running", "failed"] as const).map((state) => sender.send(event(state)));
  expect(await host.settle(Promise.all([first, ...others]))).toEqual([true, true, true]);
  expect(received.map(({ body }) => body)).toEqual(["pending", "failed"]);
});

test("an event that was not accepted before the gateway stops is not delivered", async () => {
  const { sender, event, host } = receiver("none");
  const sent = sender.send(event("failed"));
  await host.advance(0);
  ending.abort();
  expect(await host.settle(sent)).toBe(false);
});
