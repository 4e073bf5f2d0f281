import { resourceTypes } from "../../../kube/resources.ts";
import type { ConfigMap, KubeResource, Pod, StringMap } from "../../../kube/types.ts";
import type { KubeClient } from "../../../kube-client/client.ts";
import { propertiesFile } from "../../../plan/driver-properties.ts";
import { parseProperties } from "../../../values/properties.ts";

/**
 * Returns a reader of a driver's settings: the known ones, or those of the ConfigMap that the driver mounts. It reads the
 * ConfigMap once, and returns no settings if it cannot.
 */
export function driverProperties(
  client: KubeClient,
  known: StringMap | undefined,
): (driver: Pod) => Promise<StringMap> {
  let reading: Promise<StringMap> | undefined;
  return (driver) => {
    reading ??= known === undefined ? readProperties(client, driver) : Promise.resolve(known);
    return reading;
  };
}

async function readProperties(client: KubeClient, { metadata, spec }: Pod): Promise<StringMap> {
  const { namespace = "" } = metadata ?? {};
  const source = (spec?.volumes ?? []).find(
    ({ configMap }) => configMap?.items?.some(({ key }) => key === propertiesFile) === true,
  );
  const name = source?.configMap?.name;
  if (name === undefined) return {};
  try {
    const map = await client.get<ConfigMap>({ type: resourceTypes.configMap, namespace, name });
    return parseSettings(map.data?.[propertiesFile]);
  } catch {
    return {};
  }
}

/** Finds the driver's settings in the objects of a submission that are not created yet. */
export function propertiesIn(resources: readonly KubeResource[]): StringMap {
  const texts = resources.map(({ data }) =>
    typeof data === "object" && data !== null && propertiesFile in data ? data[propertiesFile] : undefined,
  );
  const text = texts.find((candidate) => typeof candidate === "string");
  return typeof text === "string" ? parseSettings(text) : {};
}

function parseSettings(text: string | undefined): StringMap {
  const properties = parseProperties(text ?? "");
  return properties.ok ? Object.fromEntries(properties.entries) : {};
}
