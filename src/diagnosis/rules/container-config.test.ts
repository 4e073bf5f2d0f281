import { describe, expect, test } from "vitest";
import { diagnose } from "../diagnose.ts";
import { driverPod, ended, event, observe, waiting } from "../test-observation.ts";
import { diagnoseStart } from "./test-diagnose.ts";

describe("a container that lacks a ConfigMap, a Secret or a user", () => {
  test.each([
    ["couldn't find key password in Secret team-a/db", "secret-key-missing", ["password", "db"]],
    ["couldn't find key region in ConfigMap team-a/settings", "config-map-key-missing", ["region", "settings"]],
    ['secret "db" not found', "secret-missing", ["db"]],
    ['configmaps "settings" not found', "config-map-missing", ["settings"]],
    ['container has runAsNonRoot and image will run as root (pod: "x", container: y)', "run-as-non-root", ["root"]],
    [
      "container has runAsNonRoot and image has non-numeric user (spark), cannot verify user is non-root",
      "run-as-non-root",
      ["non-numeric user (spark)"],
    ],
  ])("%s", (message, cause, texts) => {
    const found = diagnoseStart("CreateContainerConfigError", message);
    expect(found.slice(0, cause.length + 1)).toBe(`${cause}:`);
    for (const expectedText of texts) expect(found).toContain(expectedText);
  });

  test("a mounted Secret without its key is reported by name", () => {
    const spec = {
      containers: [{ name: "spark-kubernetes-driver" }],
      volumes: [{ name: "creds", secret: { secretName: "db" } }],
    };
    const driver = driverPod({ spec, states: { main: waiting("ContainerCreating") } });
    const events = [
      event(
        "FailedMount",
        'MountVolume.SetUp failed for volume "creds" : references non-existent secret key: password',
        { count: 2 },
      ),
    ];
    expect(diagnose(observe({ driver, events }))).toMatchObject({
      cause: "secret-key-missing",
      message: "The secret db has no key password.",
    });
  });

  test("a projected volume without a key is reported by the Secret that should have it", () => {
    const sources = [
      { configMap: { name: "settings" } },
      { secret: { name: "keytab", items: [{ key: "user.keytab", path: "keytab" }] } },
    ];
    const spec = {
      containers: [{ name: "spark-kubernetes-driver" }],
      volumes: [{ name: "creds", projected: { sources } }],
    };
    const driver = driverPod({ spec, states: { main: waiting("ContainerCreating") } });
    const message = 'MountVolume.SetUp failed for volume "creds" : references non-existent secret key: user.keytab';
    expect(diagnose(observe({ driver, events: [event("FailedMount", message, { count: 2 })] }))).toMatchObject({
      cause: "secret-key-missing",
      message: "The secret keytab has no key user.keytab.",
    });
  });

  test("the submission's own ConfigMap is not reported at once", () => {
    const driver = driverPod({ states: { main: waiting("ContainerCreating") } });
    const events = [
      event(
        "FailedMount",
        'MountVolume.SetUp failed for volume "spark-conf-volume-driver" : configmap "spark-drv-0f-conf-map" not found',
        { count: 3 },
      ),
    ];
    expect(diagnose(observe({ driver, events, second: 4 }))).toBeUndefined();
    expect(diagnose(observe({ driver, events, second: 8 }))).toMatchObject({
      cause: "config-map-missing",
      isTerminal: true,
    });
    const running = driverPod({ phase: "Running", states: { main: { running: {} } } });
    expect(diagnose(observe({ driver: running, events }))).toBeUndefined();
    const done = driverPod({ phase: "Succeeded", states: { main: ended(0) } });
    expect(diagnose(observe({ driver: done, events }))).toMatchObject({
      cause: "config-map-missing",
      isResolved: true,
    });
  });
});
