import { describe, expect, test } from "vitest";
import {
  createdPod,
  driverIdentity,
  runningPod,
  stateChanged,
  succeededPod,
  watchResponse,
  watchTestDriver,
} from "./test-watch.ts";
import { watchDriver } from "./watch-driver.ts";

describe("waiting for a driver", () => {
  test("logs each state, the phase and the end as Spark does", async () => {
    const { end, heads, logged, requests } = watchTestDriver([
      watchResponse(["MODIFIED", runningPod], ["BOOKMARK", {}], ["MODIFIED", succeededPod]),
    ]);
    expect(await end()).toEqual({ kind: "succeeded", pod: succeededPod });
    expect(heads()).toEqual([
      stateChanged,
      `Waiting for application pi ${driverIdentity} to finish...`,
      stateChanged,
      stateChanged,
      "Application status for spark-1 (phase: Succeeded)",
      "Container final statuses:",
      `Application pi ${driverIdentity} finished`,
    ]);
    expect(logged[0]).toContain("\n\t phase: Pending\n\t container status: N/A");
    expect(requests[0]?.path).toBe(
      "/api/v1/namespaces/ns/pods?allowWatchBookmarks=true&fieldSelector=metadata.name%3Ddrv&resourceVersion=1&timeoutSeconds=300&watch=true",
    );
  });

  test("logs the phase after each interval", async () => {
    const { abort, call, clock, heads } = watchTestDriver(["silence"]);
    const ended = watchDriver(call);
    await clock.advance(3500);
    abort.abort();
    expect(await ended).toEqual({ kind: "unknown", pod: createdPod });
    expect(heads().filter((text) => text?.startsWith("Application status"))).toHaveLength(4);
    expect(heads().at(-1)).not.toContain("finished");
  });

  test("logs no blocks about the pod's state if they are disabled", async () => {
    const { end, heads } = watchTestDriver([watchResponse(["MODIFIED", runningPod], ["MODIFIED", succeededPod])]);
    await end({ reportsPhase: false, reportsPodState: false });
    expect(heads()).toEqual([
      `Waiting for application pi ${driverIdentity} to finish...`,
      `Application pi ${driverIdentity} finished`,
    ]);
  });

  test("logs a stray brace for Spark versions that have it", async () => {
    const { end, heads } = watchTestDriver([watchResponse(["MODIFIED", succeededPod])]);
    await end({ traits: { strayBraceInWaitingLine: true, watchNamesPodFirst: false } });
    expect(heads()[1]).toBe(`Waiting for application pi} ${driverIdentity} to finish...`);
  });

  test("reads the interval after the first state, and sends no request if it is invalid", async () => {
    const { end, heads, requests } = watchTestDriver([]);
    const reportIntervalMs = () => {
      throw new RangeError("bad interval");
    };
    await expect(end({ reportIntervalMs })).rejects.toThrow("bad interval");
    expect(heads()).toHaveLength(2);
    expect(requests).toEqual([]);
  });
});
