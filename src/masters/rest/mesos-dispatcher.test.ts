import { describe, expect, test } from "vitest";
import { createLine, restSettings } from "./test-gateway.ts";
import { submitOnce } from "./test-submission.ts";

describe("the Mesos dispatcher", () => {
  const mesos = { master: "mesos://h:7077", version: "3.5.9" };

  test("accepts Python without a class, with Spark's exact behavior only if the gateway is enabled", async () => {
    const { end, gateway } = await submitOnce({
      ...mesos,
      resource: "http://x/app.py",
      settings: restSettings,
      strict: true,
    });
    expect(end).toBe(0);
    expect(JSON.parse(gateway.requests[0]?.body ?? "")).toMatchObject({
      appResource: "http://x/app.py",
      mainClass: "",
    });
    expect((await submitOnce({ ...mesos, strict: true })).end).toEqual(["SUBMIT_ERR_MESOS_REST"]);
    expect((await submitOnce(mesos)).end).toBe(0);
  });

  test("is rejected for Spark 4", async () => {
    expect((await submitOnce({ ...mesos, version: "4.0.5" })).end).toEqual(["SUBMIT_ERR_MASTER_UNKNOWN"]);
  });

  test("has no legacy gateway", async () => {
    const rules = [{ on: "POST", failure: "refused" as const }];
    const strict = await submitOnce({ ...mesos, strict: true, settings: restSettings, rules });
    expect(strict.end).toEqual(["SUBMIT_ERR_REST_UNREACHABLE"]);
    expect((await submitOnce({ ...mesos, rules })).gateway.lines).toEqual([createLine("h:7077")]);
  });
});
