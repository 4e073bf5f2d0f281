import { describe, expect, test } from "vitest";
import type { Log } from "../../../host/log.ts";
import type { Pod } from "../../../kube/types.ts";
import { refused } from "../../../kube-client/test-api.ts";
import {
  createdPod,
  driverIdentity,
  driverPod,
  failedPod,
  runningPod,
  succeededPod,
  terminatedState,
  watchResponse,
  watchTestDriver,
} from "./test-watch.ts";

describe("a driver's end", () => {
  test("is logged after its complete log", async () => {
    const { end, host } = watchTestDriver([watchResponse(["MODIFIED", runningPod], ["MODIFIED", succeededPod])]);
    let written = "";
    const log: Log = (_, __, text) => {
      if (text.endsWith("finished")) written = host.outText();
    };
    await end({ stdout: host.stdout, log });
    expect(written).toBe("Pi is roughly 3.14\n");
  });

  test("has its container's exit code and reason, or its pod's reason", async () => {
    expect(await watchTestDriver([watchResponse(["MODIFIED", failedPod])]).end()).toMatchObject({
      kind: "failed",
      exitCode: 137,
      reason: "OOMKilled",
    });
    const evicted: Pod = {
      ...createdPod,
      status: { phase: "Failed", reason: "Evicted", message: "low on memory" },
    };
    expect(await watchTestDriver([watchResponse(["MODIFIED", evicted])]).end()).toMatchObject({
      kind: "failed",
      exitCode: undefined,
      reason: "Evicted",
      message: "low on memory",
    });
  });

  test("is a deletion if Kubernetes stopped the container for it, otherwise a failure", async () => {
    const ending = (exitCode: number): Pod => {
      const ended = driverPod(9, "Failed", terminatedState(exitCode, "Error"));
      return { ...ended, metadata: { ...ended.metadata, deletionTimestamp: "2026-01-01T00:00:09Z" } };
    };
    for (const [exitCode, kind] of [
      [143, "deleted"],
      [137, "deleted"],
      [3, "failed"],
    ] as const) {
      expect((await watchTestDriver([watchResponse(["MODIFIED", ending(exitCode)])]).end()).kind).toBe(kind);
    }
    expect((await watchTestDriver([watchResponse(["MODIFIED", failedPod])]).end()).kind).toBe("failed");
  });

  test("is found when the pod is deleted, with or without a watch event", async () => {
    const watched = watchTestDriver([watchResponse(["MODIFIED", runningPod], ["DELETED", runningPod])]);
    expect(await watched.end()).toEqual({ kind: "deleted", pod: runningPod });
    expect(watched.heads().slice(-3)).toEqual([
      "Application status for spark-1 (phase: Running)",
      "Container final statuses:",
      `Application pi ${driverIdentity} finished`,
    ]);
    const missing = watchTestDriver([watchResponse(["MODIFIED", runningPod])], [refused(404, "gone")]);
    expect(await missing.end()).toEqual({ kind: "deleted", pod: runningPod });
    const another = watchTestDriver([watchResponse()], [{ status: 200, body: driverPod(20, "Running", {}, "other") }]);
    expect((await another.end()).kind).toBe("deleted");
  });
});
