import { describe, expect, test } from "vitest";
import type { TestHost } from "../../host/test-host.ts";
import type { Fault } from "../../kube-client/test-api.ts";
import { driverPath, prepareSubmission, respondToWatch } from "./test-submission.ts";

describe("an interruption", () => {
  test("deletes the objects while they are created", async () => {
    const fault =
      (host: TestHost): Fault =>
      ({ method }) => {
        if (method === "POST") host.raise("SIGTERM");
        return undefined;
      };
    const { api, run } = prepareSubmission({}, { fault });
    expect((await run()).end).toEqual({
      kind: "interrupted",
      signal: "SIGTERM",
      driver: "rolledBack",
      left: [],
    });
    expect(api.objects.size).toBe(0);
  });

  const whileWaiting =
    (host: TestHost): Fault =>
    (request, number) => {
      if (request.path.includes("watch=")) host.raise("SIGINT");
      return respondToWatch({ phase: "Running" })(request, number);
    };

  test("keeps the driver running while waiting", async () => {
    const { api, host, run } = prepareSubmission({}, { fault: whileWaiting });
    expect((await run()).end).toMatchObject({ kind: "interrupted", signal: "SIGINT", driver: "running" });
    expect(api.objects.has(driverPath)).toBe(true);
    expect(host.raise("SIGINT")).toBe(false);
  });

  test("deletes the driver if the setting says so", async () => {
    const { api, run } = prepareSubmission({ "spark.firesteel.killOnInterrupt": "true" }, { fault: whileWaiting });
    expect((await run()).end).toMatchObject({ kind: "interrupted", driver: "deleted" });
    expect(api.objects.has(driverPath)).toBe(false);
  });
});
