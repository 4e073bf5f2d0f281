import { describe, expect, test } from "vitest";
import type { Gang } from "./gang.ts";
import { schedulerSettings } from "./scheduler-settings.ts";

const gang: Gang = {
  driver: { requests: { cpu: "1", memory: "1408Mi" }, nodeSelector: { pool: "drivers" } },
  executors: { pod: { requests: { cpu: "500m", memory: "2Gi", "nvidia.com/gpu": "1" } }, count: 3 },
};
const alone: Gang = { driver: gang.driver, executors: undefined };

describe("the settings for a queue", () => {
  test("of Kueue make each pod a workload, also executors, which the driver owns", () => {
    expect(schedulerSettings({ kind: "kueue", queue: "etl" }, gang)).toEqual({
      "spark.kubernetes.driver.label.kueue.x-k8s.io/queue-name": "etl",
      "spark.kubernetes.executor.label.kueue.x-k8s.io/queue-name": "etl",
      "spark.kubernetes.executor.label.kueue.x-k8s.io/managed": "true",
      "spark.kubernetes.executor.annotation.kueue.x-k8s.io/pod-suspending-parent": "spark-driver",
    });
  });

  test("of Volcano make a PodGroup with the resources of all pods", () => {
    const { "spark.kubernetes.scheduler.volcano.podGroupTemplateJson": template = "", ...others } = schedulerSettings(
      { kind: "volcano", queue: "etl" },
      gang,
    );
    expect(JSON.parse(template)).toEqual({
      spec: {
        minMember: 1,
        queue: "etl",
        minResources: { cpu: "2500m", memory: "7552Mi", "nvidia.com/gpu": "3" },
      },
    });
    expect(others).toEqual({
      "spark.kubernetes.driver.scheduler.name": "volcano",
      "spark.kubernetes.executor.scheduler.name": "volcano",
      "spark.kubernetes.driver.pod.featureSteps": "org.apache.spark.deploy.k8s.features.VolcanoFeatureStep",
      "spark.kubernetes.executor.annotation.scheduling.k8s.io/group-name": "{{APP_ID}}-podgroup",
    });
  });

  test("of YuniKorn describe the groups of pods for which it reserves room", () => {
    const settings = schedulerSettings({ kind: "yunikorn", queue: "root.etl" }, gang);
    expect(settings).toMatchObject({
      "spark.kubernetes.driver.scheduler.name": "yunikorn",
      "spark.kubernetes.executor.scheduler.name": "yunikorn",
      "spark.kubernetes.driver.label.queue": "root.etl",
      "spark.kubernetes.executor.label.queue": "root.etl",
      "spark.kubernetes.driver.annotation.yunikorn.apache.org/task-group-name": "spark-driver",
      "spark.kubernetes.executor.annotation.yunikorn.apache.org/task-group-name": "spark-executor",
    });
    expect(groupsOf(settings)).toEqual([
      {
        name: "spark-driver",
        minMember: 1,
        minResource: { cpu: "1", memory: "1408Mi" },
        nodeSelector: { pool: "drivers" },
      },
      {
        name: "spark-executor",
        minMember: 3,
        minResource: { cpu: "500m", memory: "2Gi", "nvidia.com/gpu": "1" },
      },
    ]);
  });

  test("of YuniKorn reserve no room for executors that an application does not need", () => {
    const settings = schedulerSettings({ kind: "yunikorn", queue: "root.etl" }, alone);
    expect(groupsOf(settings)).toHaveLength(1);
    expect(Object.keys(settings).join()).not.toContain("executor.annotation");
  });
});

function groupsOf(settings: Readonly<Record<string, string>>): unknown {
  return JSON.parse(settings["spark.kubernetes.driver.annotation.yunikorn.apache.org/task-groups"] ?? "");
}
