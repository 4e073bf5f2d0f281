import { firesteelSettings } from "../conf/entries/firesteel.ts";
import { namespace } from "../conf/entries/submission.ts";
import type { StringMap } from "../kube/types.ts";
import { printProperties } from "../values/properties.ts";
import type { DriverConf } from "./driver-conf.ts";

/** The name that the driver's settings have in its configuration map. */
export const propertiesFile = "spark.properties";

/** A second way to tell the driver its namespace, for what reads the map without knowing properties. */
export const namespaceKey = namespace.key;

/**
 * The text of `spark.properties`: all settings as written, but those that steer the submission itself; over them, those
 * that steps hand to the driver.
 *
 * Source: Spark KubernetesClientUtils.buildStringFromPropertiesMap.
 */
export function printDriverProperties({ conf, facts, confMapName }: DriverConf, added: StringMap): string {
  const own = conf.settings().filter(({ key }) => !key.startsWith(firesteelSettings.prefix));
  return printProperties({
    comments: [
      `Java properties built from Kubernetes config map with name: ${confMapName}`,
      facts.submitDate,
    ],
    entries: new Map([
      ...own.map(({ key, value }): [string, string] => [key, value]),
      ...Object.entries(added),
    ]),
  });
}
