import type { Contribution } from "../features/step.ts";
import type { ConfigMap, StringMap } from "../kube/types.ts";
import { chooseConfFiles } from "../plan/conf-files.ts";
import type { DriverConf } from "../plan/driver-conf.ts";
import { namespaceKey, printDriverProperties, propertiesFile } from "../plan/driver-properties.ts";
import type { LogLine } from "../plan/log-line.ts";

/** The driver's ConfigMap as a contribution, and log messages. */
export interface ConfMap {
  readonly contribution: Contribution;
  readonly log: readonly LogLine[];
}

const directory = "/opt/spark/conf";
const volumeName = "spark-conf-volume-driver";
const readableByAll = 0o644;

/**
 * Builds the ConfigMap with the driver's settings and the files of the configuration directory, mounted at /opt/spark/conf.
 *
 * `added` are the settings that the steps pass to the driver. All of them must be known, so this runs after all steps.
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
