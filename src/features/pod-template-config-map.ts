import { podTemplateFile } from "../conf/entries/driver.ts";
import type { ConfigMap } from "../kube/types.ts";
import type { DriverConf } from "../plan/driver-conf.ts";
import { stepNames } from "../plan/feature-steps.ts";
import { attemptPrefix } from "../plan/localizing-names.ts";
import { templateForExecutors } from "./localized-dependencies.ts";
import type { FeatureStep } from "./step.ts";

/** Passes the executors' pod template to the driver, which reads it when it creates executors. */
export const podTemplateConfigMap: FeatureStep<DriverConf> = {
  name: stepNames.podTemplate,
  contribute: (driver) => {
    const { facts, resourceNamePrefix, staged } = driver;
    const isOwned = (staged.localized?.mode ?? "driverServed") !== "driverServed";
    const text = isOwned ? templateForExecutors(driver) : facts.executorTemplateText;
    if (text === undefined) return {};
    const name = `${isOwned ? attemptPrefix(driver) : resourceNamePrefix}-driver-podspec-conf-map`;
    const map = {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name },
      immutable: true,
      data: { [mapKey]: text },
    } satisfies ConfigMap;
    return {
      volumes: [{ name: volumeName, configMap: { name, items: [{ key: mapKey, path: fileName }] } }],
      mounts: [{ name: volumeName, mountPath: directory }],
      properties: { [podTemplateFile.executor.key]: `${directory}/${fileName}` },
      resources: [map],
    };
  },
};

const mapKey = "podspec-configmap-key";
const volumeName = "pod-template-volume";
const directory = "/opt/spark/pod-template";
const fileName = "pod-spec-template.yml";
