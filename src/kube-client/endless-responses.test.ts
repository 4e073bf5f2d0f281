import { describe, expect, test } from "vitest";
import { refused } from "./test-api.ts";
import { drain, driverTarget, errorOf, podType, testClient } from "./test-client.ts";

describe("an endless response", () => {
  /** Sends 1 MiB at a time, and counts them. */
  function endless(content: string) {
    const sent = { mebibytes: 0 };
    const piece = Buffer.from(content.repeat(1024 * 1024).slice(0, 1024 * 1024));
    async function* stream() {
      // More than any limit: the test would end, and fail.
      for (; sent.mebibytes < 200; sent.mebibytes += 1) yield piece;
    }
    return { sent, stream };
  }

  test.each([
    ["of an object", "[", 200, 65, "it is longer than 67108864 bytes"],
    ["of a list", "[", 200, 65, "it is longer than 67108864 bytes"],
    ["of a watch", "[", 200, 17, "an event is longer than 16777216 bytes"],
    ["with an error", "<", 500, 2, "<<<"],
  ])("%s is cut off", async (what, content, status, maxMebibytes, reason) => {
    const { sent, stream } = endless(content);
    const { client, clock } = testClient(() => ({ status, stream: stream() }));
    const calls = {
      "of a list": () => client.list({ type: podType }),
      "of a watch": () => drain(client.watch({ type: podType })),
    };
    const call =
      Object.entries(calls).find(([name]) => name === what)?.[1] ?? (() => client.withoutRetries().get(driverTarget));
    const error = await clock.settle(errorOf(call()));
    expect(error.code).toBe(status === 200 ? "SUBMIT_ERR_KUBE_RESPONSE" : "SUBMIT_ERR_KUBE_REJECTED");
    expect(error.message).toContain(reason);
    expect(error.message.length).toBeLessThan(1000);
    expect(sent.mebibytes).toBeLessThanOrEqual(maxMebibytes);
  });

  test("of a log passes on every byte", async () => {
    const { stream } = endless("x");
    const { client } = testClient(() => ({ status: 200, stream: stream() }));
    let bytes = 0;
    for await (const chunk of client.logs({ namespace: "ns", pod: "drv" })) bytes += chunk.length;
    expect(bytes).toBe(200 * 1024 * 1024);
  });

  test("of a rejection with a long message is cut", async () => {
    const { client } = testClient(() => refused(422, "invalid: ".repeat(100_000)));
    expect((await errorOf(client.get(driverTarget))).message.length).toBeLessThan(33_000);
  });
});
