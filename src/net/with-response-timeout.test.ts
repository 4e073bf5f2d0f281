import { expect, test } from "vitest";
import { testHost } from "../host/test-host.ts";
import { withResponseTimeout } from "./with-response-timeout.ts";

test("reports a request that gets no response", async () => {
  const { clock, settle } = testHost();
  const endless = (signal: AbortSignal) =>
    new Promise<never>((_, reject) => {
      signal.addEventListener("abort", () => reject(new Error("aborted")));
    });
  await expect(settle(withResponseTimeout(clock, 5000, endless))).rejects.toThrow("no response within 5 s");
});

test("returns a response, and the error of a request", async () => {
  const { clock, settle } = testHost();
  expect(await settle(withResponseTimeout(clock, 5000, async () => 1))).toBe(1);
  const failing = async () => {
    throw new Error("cut");
  };
  await expect(settle(withResponseTimeout(clock, 5000, failing))).rejects.toThrow("cut");
});
