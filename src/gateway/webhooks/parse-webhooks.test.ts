import { expect, test } from "vitest";
import { testHost } from "../../host/test-host.ts";
import { parseWebhooks } from "./parse-webhooks.ts";

const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
const host = testHost({ env: { HOOK: secret }, files: { "/home/tester/job/hook": `${secret}\n` } });

function read(properties: Readonly<Record<string, string>>) {
  const { webhooks, issues } = parseWebhooks(host, new Map(Object.entries(properties)));
  return { webhooks, messages: issues.map(({ message }) => message) };
}

test("webhooks get all states by default, and their secrets come from files or variables", () => {
  const { webhooks, messages } = read({
    "gateway.queue.default.weight": "1",
    "gateway.webhook.chat.url": "https://chat.example/hook",
    "gateway.webhook.chat.secretFile": "hook",
    "gateway.webhook.audit.url": "http://audit:8080/?team=a",
    "gateway.webhook.audit.secretVariable": "HOOK",
    "gateway.webhook.audit.states": "failed, killed",
  });
  expect(messages).toEqual([]);
  expect(webhooks.map(({ name, url, keys, states }) => [name, url.href, keys.length, states.size])).toEqual([
    ["chat", "https://chat.example/hook", 1, 7],
    ["audit", "http://audit:8080/?team=a", 1, 2],
  ]);
});

test("all problems are reported together, without passwords and secrets", () => {
  const { webhooks, messages } = read({
    "gateway.webhook.a.url": "https://user:password@chat.example",
    "gateway.webhook.a.secretVariable": "MISSING",
    "gateway.webhook.a.states": "failed,done",
    "gateway.webhook.b.url": "file:///etc/passwd",
    "gateway.webhook.b.secretFile": "missing",
    "gateway.webhook.c.token": "x",
  });
  expect(webhooks).toEqual([]);
  expect(messages.map((message) => message.split("; allowed")[0])).toEqual([
    "Invalid value 'x' for gateway.webhook.c.token",
    "Invalid value 'https://...@chat.example' for gateway.webhook.a.url",
    "Invalid value 'MISSING' for gateway.webhook.a.secretVariable",
    "Invalid value 'failed,done' for gateway.webhook.a.states",
    "Invalid value 'file:///etc/passwd' for gateway.webhook.b.url",
    "Invalid value 'missing' for gateway.webhook.b.secretFile",
  ]);
});
