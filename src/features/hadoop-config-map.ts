import { executorHadoopConfigMapName } from "../conf/entries/executor.ts";
import { hadoopConfigMapName } from "../conf/entries/hadoop.ts";
import { type Issue, issue } from "../errors/issue.ts";
import type { ConfigMap, StringMap } from "../kube/types.ts";
import type { DriverConf } from "../plan/driver-conf.ts";
import type { SubmitterFile } from "../plan/facts.ts";
import { decodeUtf8, decodeUtf8Leniently } from "../values/utf8.ts";
import type { Contribution } from "./step.ts";

const volumeName = "hadoop-properties";
const mountPath = "/opt/hadoop/conf";

/** Reports why the two sources of a Hadoop configuration cannot be combined. */
export function hadoopConfIssues({ conf, traits, facts, behaviors }: DriverConf): readonly Issue[] {
  const { key } = hadoopConfigMapName;
  const directory = facts.hadoopDirectory;
  if (directory === undefined) return conf.check([hadoopConfigMapName]);
  if (conf.has(hadoopConfigMapName)) return [issue("SUBMIT_ERR_HADOOP_CONF_CONFLICT", { key })];
  if (behaviors.binaryHadoopConf === "kept" || !traits.refusesOtherThanUtf8) return [];
  return (directory.files ?? [])
    .filter(({ bytes }) => decodeUtf8(bytes) === undefined)
    .map(({ name }) => issue("SUBMIT_ERR_NOT_UTF8", { path: `${directory.path}/${name}` }));
}

/** Mounts the configuration: the ConfigMap of the setting, else a new one with the submitter's files. */
export function contributeHadoopConf(driver: DriverConf): Contribution {
  const specified = driver.conf.get(hadoopConfigMapName);
  if (specified !== undefined) return mounted(specified, {});
  return embedded(driver, driver.facts.hadoopDirectory?.files ?? []);
}

/** Builds the volume, its mount, and the settings by which driver and executors find it. */
function mounted(name: string, { items }: { readonly items?: { key: string; path: string }[] }): Contribution {
  return {
    volumes: [{ name: volumeName, configMap: { name, ...(items === undefined ? {} : { items }) } }],
    mounts: [{ name: volumeName, mountPath }],
    env: [{ name: "HADOOP_CONF_DIR", value: mountPath }],
    properties: { [executorHadoopConfigMapName.key]: name },
  };
}

function embedded(driver: DriverConf, files: readonly SubmitterFile[]): Contribution {
  const name = `${driver.resourceNamePrefix}-hadoop-config`;
  const map = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name },
    immutable: true,
    ...contents(driver, files),
  } satisfies ConfigMap;
  const items = files.map((file) => ({ key: file.name, path: file.name }));
  return { ...mounted(name, items.length === 0 ? {} : { items }), resources: [map] };
}

/** Stores files that are not UTF-8 as binary data. Spark replaces their invalid bytes or rejects the files. */
function contents(
  { behaviors }: DriverConf,
  files: readonly SubmitterFile[],
): { readonly data?: StringMap; readonly binaryData?: StringMap } {
  const data: Record<string, string> = {};
  const binaryData: Record<string, string> = {};
  for (const { name, bytes } of files) {
    const text = behaviors.binaryHadoopConf === "kept" ? decodeUtf8(bytes) : decodeUtf8Leniently(bytes);
    if (text === undefined) binaryData[name] = Buffer.from(bytes).toString("base64");
    else data[name] = text;
  }
  return { ...unlessEmpty("data", data), ...unlessEmpty("binaryData", binaryData) };
}

function unlessEmpty<F extends string>(field: F, values: StringMap): Partial<Record<F, StringMap>>;
function unlessEmpty(field: string, values: StringMap): Readonly<Record<string, StringMap>> {
  return Object.keys(values).length === 0 ? {} : { [field]: values };
}
