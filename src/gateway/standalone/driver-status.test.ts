import { describe, expect, test } from "vitest";
import type { ApplicationEnd, GatewayApplication } from "../model/application.ts";
import { testRecord } from "../model/test-application.ts";
import { driverStatus } from "./driver-status.ts";

const record = testRecord({ key: "driver-1", protocol: "rest", id: "driver-1", podName: "a-driver", number: 1 });

function statusOf(
  state: GatewayApplication["state"],
  end?: Partial<ApplicationEnd>,
  driver?: Partial<GatewayApplication["driver"]>,
) {
  const isFinal = state === "succeeded" || state === "failed" || state === "killed";
  return driverStatus({
    record: { ...record, ...(isFinal && { end: { state, atMs: 0, hasStarted: true, ...end } }) },
    ...{ state, executors: [], submissionLog: [], isExplained: true },
    ...(driver && { driver: { uid: "u", createdMs: 0, container: "c", ...driver } }),
  });
}

describe("driverStatus", () => {
  test.each([
    ["queued", "SUBMITTED"],
    ["submitting", "SUBMITTED"],
    ["pending", "SUBMITTED"],
    ["running", "RUNNING"],
    ["succeeded", "FINISHED"],
    ["failed", "FAILED"],
    ["killed", "KILLED"],
  ] as const)("reports %s as %s", (state, driverState) => {
    expect(statusOf(state)).toEqual({ driverState, message: undefined });
  });

  test("reports a driver that never ran as ERROR, with the reason", () => {
    const end = { hasStarted: false, reason: "Rejected", message: "The quota is exceeded." };
    expect(statusOf("failed", end)).toEqual({ driverState: "ERROR", message: "The quota is exceeded." });
  });

  test("explains a failure that is not the application's own", () => {
    expect(statusOf("failed", { reason: "OOMKilled", message: "Out of memory." }).message).toBe("Out of memory.");
    expect(statusOf("failed", { reason: "Error", message: "Exit code 1." }).message).toBeUndefined();
  });

  test("explains why a driver does not start", () => {
    expect(statusOf("pending", {}, { reason: "ImagePullBackOff" }).message).toBe(
      "The driver cannot start yet: ImagePullBackOff.",
    );
    expect(statusOf("pending", {}, { reason: "ContainerCreating" }).message).toBeUndefined();
  });

  test("names the driver's pod and its address", () => {
    expect(statusOf("running", {}, { podAddress: "10.0.0.7" })).toMatchObject({
      workerId: "a-driver",
      workerHostPort: "10.0.0.7:7078",
    });
  });
});
