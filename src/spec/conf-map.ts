import type { Contribution } from "../features/step.ts";
import type { ConfigMap, StringMap } from "../kube/types.ts";
import { chooseConfFiles } from "../plan/conf-files.ts";
import type { DriverConf } from "../plan/driver-conf.ts";
import { namespaceKey, printDriverProperties, propertiesFile } from "../plan/driver-properties.ts";
import type { LogLine } from "../plan/log-line.ts";

/** Builds the driver's ConfigMap, the pod's mount of it, and warnings. */
export interface ConfMap {
  readonly contribution: Contribution;
  readonly log: readonly LogLine[];
}

const directory = "/opt/spark/conf";
const volumeName = "spark-conf-volume-driver";
const readableByAll = 0o644;

/**
 * The ConfigMap of the driver's settings and of the files of the configuration directory, mounted at /opt/spark/conf.
 *
 * `added` are the settings that steps hand to the driver: all of them must be known, so this comes after every step.
 * Source: Spark KubernetesClientUtils.
 */
export function buildConfMap(driver: DriverConf, added: StringMap): ConfMap {
  const { namespace, confMapName } = driver;
  const { texts, log } = chooseConfFiles(driver);
  const files = { ...texts, [propertiesFile]: printDriverProperties(driver, added) };
  const map = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: confMapName, namespace },
    immutable: true,
    data: { ...files, [namespaceKey]: namespace },
  } satisfies ConfigMap;
  const items = Object.keys(files)
    .sort()
    .map((file) => ({ key: file, path: file, mode: readableByAll }));
  return {
    contribution: {
      env: [{ name: "SPARK_CONF_DIR", value: directory }],
      volumes: [{ name: volumeName, configMap: { name: confMapName, items } }],
      mounts: [{ name: volumeName, mountPath: directory }],
      resources: [map],
    },
    log,
  };
}
