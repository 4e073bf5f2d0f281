import { describe, expect, test } from "vitest";
import { diagnose } from "../diagnose.ts";
import { driverPod, ended, event, observe, waiting } from "../test-observation.ts";

describe("init containers", () => {
  const containers = [{ name: "spark-kubernetes-driver" }];
  const events = [event("Scheduled", "Successfully assigned", { second: 0, type: "Normal" })];

  test("that do not end are reported", () => {
    const driver = driverPod({
      spec: { initContainers: [{ name: "wait" }], containers },
      states: { wait: { running: {} }, main: waiting("PodInitializing") },
      logs: { wait: "no db yet" },
    });
    expect(diagnose(observe({ driver, events, second: 9 }))).toBeUndefined();
    expect(diagnose(observe({ driver, events, second: 10 }))).toMatchObject({
      ...{ cause: "init-container-running", isTerminal: false },
      message: expect.stringContaining("no db yet"),
    });
  });

  test("are not reported as running while their image is pulled", () => {
    const driver = driverPod({
      spec: { initContainers: [{ name: "fetch", image: "tools:1" }], containers },
      states: { fetch: waiting("PodInitializing"), main: waiting("PodInitializing") },
    });
    const pulling = event("Pulling", 'Pulling image "tools:1"', {
      container: "fetch",
      type: "Normal",
      second: 2,
    });
    const known = { driver, events: [...events, pulling] };
    expect(diagnose(observe({ ...known, second: 11 }))).toBeUndefined();
    expect(diagnose(observe({ ...known, second: 12 }))?.cause).toBe("image-pull-slow");
  });

  test("that are started native sidecars do not delay the driver", () => {
    const initContainers = [{ name: "mesh", restartPolicy: "Always" }];
    const driver = driverPod({
      spec: { initContainers, containers },
      states: { main: waiting("PodInitializing") },
      status: {
        initContainerStatuses: [
          {
            name: "mesh",
            image: "",
            imageID: "",
            ready: true,
            restartCount: 0,
            started: true,
            state: { running: {} },
          },
        ],
      },
    });
    expect(diagnose(observe({ driver, events, second: 30 }))).toBeUndefined();
  });

  test.each([
    [ended(137, { reason: "OOMKilled" }), "init-container-oom"],
    [ended(9, { message: "line one\nfatal error: bucket gone\nbye" }), "init-container-failed"],
    [waiting("CrashLoopBackOff", "back-off 10s"), "init-container-crash-loop"],
  ])("that fail are reported: %#", (state, cause) => {
    const driver = driverPod({
      spec: { initContainers: [{ name: "fetch" }], containers },
      states: { fetch: state, main: waiting("PodInitializing") },
    });
    const found = diagnose(observe({ driver }));
    expect(found).toMatchObject({ cause, message: expect.stringContaining("fetch") });
    if (cause === "init-container-failed") expect(found?.message).toContain("bucket gone");
  });

  test.each([
    ["noSpace", 6, /^Let the driver run on a node with more free disk/],
    ["unauthorized", 3, /spark\.firesteel\.staging\.server\.internalUrl/],
    ["network", 7, /spark\.firesteel\.staging\.initContainer\.timeout/],
    ["integrity", 5, /^Submit again, and check the proxies between/],
    ["of another program", 9, /^Repair what the init container firesteel-localize does/],
  ])("T75: Firesteel's init container with the reason %s has its message and a next step", (code, exitCode, step) => {
    const text = JSON.stringify({ code, message: "of the files: conf.json" });
    const driver = driverPod({
      spec: { initContainers: [{ name: "firesteel-localize" }], containers },
      states: {
        "firesteel-localize": ended(exitCode, { message: text }),
        main: waiting("PodInitializing"),
      },
    });
    const found = diagnose(observe({ driver }));
    expect(found?.nextStep).toMatch(step);
    const explanation = code === "of another program" ? text : "of the files: conf.json";
    expect(found?.message).toBe(
      `The init container firesteel-localize ended with exit status ${exitCode}: ${explanation}.`,
    );
  });
});
