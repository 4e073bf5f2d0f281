import { firesteelSettings } from "../conf/entries/firesteel.ts";
import { namespace } from "../conf/entries/submission.ts";
import type { StringMap } from "../kube/types.ts";
import { printProperties } from "../values/properties.ts";
import type { DriverConf } from "./driver-conf.ts";

/** Key of the driver's settings in its ConfigMap. */
export const propertiesFile = "spark.properties";

/** Key of the driver's namespace in its ConfigMap, for readers that do not parse properties. */
export const namespaceKey = namespace.key;

/**
 * Prints `spark.properties`: all settings as written except those of Firesteel, overridden by the settings that the steps
 * add.
 *
 * Source: Spark KubernetesClientUtils.buildStringFromPropertiesMap.
 */
export function printDriverProperties({ conf, facts, confMapName }: DriverConf, added: StringMap): string {
  const own = conf.settings().filter(({ key }) => !key.startsWith(firesteelSettings.prefix));
  return printProperties({
    comments: [`Java properties built from Kubernetes config map with name: ${confMapName}`, facts.submitDate],
    entries: new Map([...own.map(({ key, value }): [string, string] => [key, value]), ...Object.entries(added)]),
  });
}
