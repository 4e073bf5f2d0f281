import { podTemplateFile } from "../conf/entries/driver.ts";
import type { ConfigMap } from "../kube/types.ts";
import type { Contribution } from "./step.ts";

const mapKey = "podspec-configmap-key";
const volumeName = "pod-template-volume";
const directory = "/opt/spark/pod-template";
const fileName = "pod-spec-template.yml";

/** Mounts a ConfigMap with the executors' pod template, and names the template in the driver's properties. */
export function mountTemplate(name: string, text: string): Contribution {
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
}
