import { resourceTypes } from "../../../kube/resources.ts";
import type { ConfigMap, KubeResource, Pod, StringMap } from "../../../kube/types.ts";
import type { KubeClient } from "../../../kube-client/client.ts";
import { propertiesFile } from "../../../plan/driver-properties.ts";
import { parseProperties } from "../../../values/properties.ts";

/** The settings of a driver: known, or read once from the map that it mounts; none where that may not be read. */
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
    return parsed(map.data?.[propertiesFile]);
  } catch {
    return {};
  }
}

/** The settings in the objects of a submission, before they are in the cluster. */
export function propertiesIn(resources: readonly KubeResource[]): StringMap {
  const texts = resources.map(({ data }) =>
    typeof data === "object" && data !== null && propertiesFile in data ? data[propertiesFile] : undefined,
  );
  const text = texts.find((candidate) => typeof candidate === "string");
  return typeof text === "string" ? parsed(text) : {};
}

function parsed(text: string | undefined): StringMap {
  const properties = parseProperties(text ?? "");
  return properties.ok ? Object.fromEntries(properties.entries) : {};
}
