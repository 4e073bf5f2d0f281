import { describe, expect, test } from "vitest";
import { diagnose } from "../diagnose.ts";
import { driverPod, event, instant, node, observe, waiting } from "../test-observation.ts";

describe("volumes and sandboxes", () => {
  const spec = {
    nodeName: "worker-1",
    containers: [{ name: "spark-kubernetes-driver" }],
    volumes: [
      { name: "data", persistentVolumeClaim: { claimName: "lake" } },
      { name: "share", nfs: { server: "nas", path: "/exports" } },
    ],
  };
  const driver = driverPod({ spec, states: { main: waiting("ContainerCreating") } });

  test.each([
    [
      "FailedAttachVolume",
      'Multi-Attach error for volume "pvc-1" Volume is already exclusively attached to one node and can\'t be attached to another',
      "attach-failed",
      false,
      "pvc-1",
    ],
    [
      "FailedAttachVolume",
      'AttachVolume.Attach failed for volume "pvc-1" : timed out waiting for external-attacher of csi.example.com CSI driver to attach volume vol-1',
      "attach-failed",
      true,
      "csi.example.com",
    ],
    [
      "FailedMount",
      "Unable to attach or mount volumes: unmounted volumes=[data], unattached volumes=[data], failed to process volumes=[]: context deadline exceeded",
      "attach-failed",
      true,
      "lake",
    ],
    [
      "FailedMount",
      'MountVolume.SetUp failed for volume "share" : mount failed: exit status 32\nMounting command: mount\nOutput: mount.nfs: Connection timed out',
      "mount-failed",
      true,
      "nas:/exports",
    ],
    [
      "FailedMount",
      'MountVolume.MountDevice failed for volume "pvc-1" : kubernetes.io/csi: attacher.MountDevice failed to create newCsiDriverClient: driver name csi.example.com not found in the list of registered CSI drivers',
      "mount-failed",
      true,
      "csi.example.com",
    ],
    [
      "FailedCreatePodSandBox",
      'Failed to create pod sandbox: rpc error: code = Unknown desc = failed to setup network for sandbox "5a": plugin type="calico" failed (add): error getting ClusterInformation: connection is unauthorized',
      "pod-network-failed",
      false,
      "calico",
    ],
    [
      "FailedCreatePodSandBox",
      'Failed to create pod sandbox: rpc error: code = Unknown desc = RuntimeHandler "kata" not supported',
      "sandbox-failed",
      true,
      "kata",
    ],
  ])("%s %s", (reason, message, cause, isTerminal, expectedText) => {
    const found = diagnose(observe({ driver, events: [event(reason, message)] }));
    expect(found).toMatchObject({ cause, isTerminal });
    expect(found?.message).toContain(expectedText);
  });

  test("resolved problems are not reported", () => {
    const started = driverPod({ spec, phase: "Running", states: { main: { running: {} } } });
    const events = [
      event("FailedCreatePodSandBox", "Failed to create pod sandbox"),
      event("FailedMount", "MountVolume.SetUp failed for volume x"),
    ];
    expect(diagnose(observe({ driver: started, events }))).toBeUndefined();
  });

  test("a volume that no controller attaches is reported for missing events, too", () => {
    const events = [event("Scheduled", "Successfully assigned", { second: 1, type: "Normal" })];
    expect(diagnose(observe({ driver, events, second: 8 }))).toBeUndefined();
    expect(diagnose(observe({ driver, events, second: 11 }))).toMatchObject({
      cause: "attach-failed",
      isTerminal: false,
    });
  });

  test("a late ConfigMap of the submission is not reported as a volume problem", () => {
    const late = 'MountVolume.SetUp failed for volume "conf" : configmap "spark-drv-0f-conf-map" not found';
    const events = [
      event("Scheduled", "Successfully assigned", { second: 1, type: "Normal" }),
      event("FailedMount", late, { second: 1 }),
    ];
    const objects = [{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "spark-drv-0f-conf-map" } }];
    expect(diagnose(observe({ driver, events, objects, second: 60 }))?.cause).toBe("attach-failed");
  });

  test("a node whose kubelet does not respond", () => {
    const lost = node("worker-1", {});
    const status = {
      conditions: [{ type: "Ready", status: "Unknown", reason: "NodeStatusUnknown", lastTransitionTime: instant(15) }],
    };
    const running = driverPod({ spec, phase: "Running", states: { main: { running: {} } } });
    const objects = [{ ...lost, status }];
    expect(diagnose(observe({ driver: running, objects, second: 14 }))).toBeUndefined();
    expect(diagnose(observe({ driver: running, objects, second: 16 }))).toMatchObject({
      cause: "node-lost",
      isTerminal: false,
    });
  });
});
