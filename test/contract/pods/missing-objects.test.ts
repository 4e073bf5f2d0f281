import { describe } from "vitest";
import { podClusters } from "../pod-cluster.ts";
import { conditionsOf, isTerminated, sh, stateOf } from "../test-namespace.ts";
import { podChecks, waitsFor } from "./pod-checks.ts";

describe.each(podClusters())("pods of $name", { concurrent: true }, (cluster) => {
  const check = podChecks(cluster);

  check("88 a pod waits for the config map of its volume", async (space, { expect }) => {
    await space.pod("p", {
      volumes: [{ name: "v", configMap: { name: "late" } }],
      containers: [sh("a", "cat /v/k", { volumeMounts: [{ name: "v", mountPath: "/v" }] })],
    });
    const event = await space.untilEvent("p", "FailedMount");
    expect(event.message).toBe('MountVolume.SetUp failed for volume "v" : configmap "late" not found');
    expect(stateOf(await space.get("p")).waiting?.reason).toBe("ContainerCreating");
    await space.create("configmaps", { kind: "ConfigMap", metadata: { name: "late" }, data: { k: "text" } });
    await space.until("p", isTerminated);
    expect(await space.log("p")).toBe("text");
  });

  check("88 a pod does not wait for a volume that no container mounts", async (space, { expect }) => {
    const volumes = [{ name: "v", configMap: { name: "never" } }];
    await space.pod("p", { volumes, containers: [sh("a", "true")] });
    expect((await space.until("p", isTerminated)).status?.phase).toBe("Succeeded");
  });

  check("89 a missing source of a variable is reported; an optional one is omitted", async (space, { expect }) => {
    const env = (optional: boolean) => [
      { name: "X", valueFrom: { secretKeyRef: { name: "nos", key: "k", optional } } },
    ];
    await space.pod("strict", { containers: [sh("a", "true", { env: env(false) })] });
    await space.pod("easy", { containers: [sh("a", 'echo "$' + '{X-none}"', { env: env(true) })] });
    const strict = await space.until("strict", waitsFor("CreateContainerConfigError"));
    expect(stateOf(strict).waiting?.message).toBe('secret "nos" not found');
    expect((await space.untilEvent("strict", "Failed")).message).toBe('Error: secret "nos" not found');
    await space.until("easy", isTerminated);
    expect(await space.log("easy")).toBe("none\n");
  });

  check("90 an unavailable image is reported, depending on its pull policy", async (space, { expect }) => {
    const image = "nosuch.invalid/nothing:1";
    await space.pod("pull", { containers: [sh("a", "true", { image })] });
    await space.pod("never", { containers: [sh("a", "true", { image, imagePullPolicy: "Never" })] });
    await space.pod("invalid", { containers: [sh("a", "true", { image: "Not An Image" })] });
    const states = async (name: string, reason: string) => stateOf(await space.until(name, waitsFor(reason))).waiting;
    expect((await states("pull", "ErrImagePull"))?.message).toContain(image);
    expect((await states("pull", "ImagePullBackOff"))?.message).toContain(`Back-off pulling image "${image}"`);
    expect((await states("never", "ErrImageNeverPull"))?.message).toBe(
      `Container image "${image}" is not present with pull policy of Never`,
    );
    expect((await states("invalid", "InvalidImageName"))?.message).toContain("Not An Image");
    expect((await space.untilEvent("pull", "BackOff")).message).toBe(`Back-off pulling image "${image}"`);
    expect(await space.log("pull")).toMatch(
      /container \\"a\\" in pod \\"pull\\" is waiting to start: (trying and failing to pull image|image can't be pulled)/,
    );
  });

  check("91 a pod waits unscheduled for its claim", async (space, { expect }) => {
    await space.pod("p", {
      volumes: [{ name: "v", persistentVolumeClaim: { claimName: "late" } }],
      containers: [sh("a", "true", { volumeMounts: [{ name: "v", mountPath: "/v" }] })],
    });
    const pod = await space.until("p", (seen) => conditionsOf(seen)["PodScheduled"] !== undefined);
    expect(conditionsOf(pod)["PodScheduled"]).toBe("False Unschedulable");
    expect((await space.untilEvent("p", "FailedScheduling")).message).toContain(
      'persistentvolumeclaim "late" not found',
    );
  });
});
