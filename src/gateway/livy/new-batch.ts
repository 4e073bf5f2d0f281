import type { Submission } from "../applications/application.ts";
import { isReservedSetting } from "../submit/reserved-settings.ts";
import type { BatchRequest } from "./batch-request.ts";
import { resolveBatchUri, type UriRules } from "./batch-uris.ts";

/** Settings of the server about what batches may contain. */
export interface BatchRules extends UriRules {
  /** Settings that clients must not set, besides those that are reserved for all protocols. */
  readonly rejectedSettings: readonly string[];
  /** Namespaces that batches may use; `undefined` for all. */
  readonly namespaces: readonly string[] | undefined;
}

/** Submission of a batch, and everything that is wrong with its request. */
interface MappedBatch {
  readonly submission: Submission;
  /** Sentences, of which Livy defines most. */
  readonly problems: readonly string[];
}

/** Settings with files, by the field whose entries come first. */
const fileLists = [
  { key: "spark.jars", field: "jars" },
  { key: "spark.files", field: "files" },
  { key: "spark.archives", field: "archives" },
  { key: "spark.submit.pyFiles", field: "pyFiles" },
] as const;
/** Further settings with files of which Livy checks the paths. */
const otherFileLists = [
  "spark.yarn.archive",
  "spark.yarn.dist.archives",
  "spark.yarn.dist.files",
  "spark.yarn.dist.jars",
  "spark.yarn.jar",
  "spark.yarn.jars",
];

/** Settings that Livy rejects, by default or with the list of its distribution. */
const livyRejects = [
  "spark.master",
  "spark.submit.deployMode",
  "spark.submit.proxyUser.allowCustomClasspathInClusterMode",
  "spark.yarn.jar",
  "spark.yarn.jars",
  "spark.yarn.archive",
  "livy.rsc.server.idle-timeout",
];

/** Maps a request to the settings and options of spark-submit. Source: Livy 0.9.0, recorded mappings. */
export function mapBatch(request: BatchRequest, rules: BatchRules): MappedBatch {
  const { conf, file = "", className, name } = request;
  const problems: string[] = [];
  const resolve = (text: string) => {
    const resolved = resolveBatchUri(text, rules);
    if (resolved.ok) return resolved.uri;
    problems.push(resolved.reason);
    return text;
  };
  const resource = file === "" ? "" : resolve(file);
  if (file === "") problems.push("File is required.");
  if (name !== undefined && /^\d*$/.test(name)) problems.push(`Invalid session name: ${name}`);
  problems.push(...rejectedSettings(conf, rules));
  const lists = [
    ...fileLists.map(({ key, field }): [string, readonly string[]] => [
      key,
      [...request[field], ...entriesOf(conf[key])],
    ]),
    ...otherFileLists.map((key): [string, readonly string[]] => [key, entriesOf(conf[key])]),
  ].map(([key, all]): [string, readonly string[]] => [key, all.filter((entry) => entry !== "").map(resolve)]);
  const settings = {
    ...conf,
    ...Object.fromEntries(lists.filter(([, all]) => all.length > 0).map(([key, all]) => [key, all.join(",")])),
    ...resourceSettings(request),
  };
  const fields = {
    ...(name !== undefined && { name }),
    ...(className !== undefined && { mainClass: className }),
  };
  return { submission: { fields, settings, resource, appArgs: request.args, templates: {} }, problems };
}

function rejectedSettings(
  conf: Readonly<Record<string, string>>,
  { rejectedSettings: more, namespaces }: BatchRules,
): readonly string[] {
  const rejected = Object.keys(conf).filter(
    (key) => livyRejects.includes(key) || more.includes(key) || isReservedSetting(key),
  );
  const namespace = conf["spark.kubernetes.namespace"];
  const isForeign = namespace !== undefined && namespaces?.includes(namespace) === false;
  return [
    ...(rejected.length === 0 ? [] : [`Blacklisted configuration values in session config: ${rejected.join(", ")}`]),
    ...(isForeign ? [`The namespace '${namespace}' is not allowed; allowed: ${namespaces?.join(", ")}.`] : []),
  ];
}

function resourceSettings(request: BatchRequest): Readonly<Record<string, string>> {
  const { driverMemory, driverCores, executorMemory, executorCores, numExecutors } = request;
  return {
    ...(driverMemory !== undefined && { "spark.driver.memory": driverMemory }),
    ...(driverCores !== undefined && { "spark.driver.cores": driverCores }),
    ...(executorMemory !== undefined && { "spark.executor.memory": executorMemory }),
    ...(executorCores !== undefined && { "spark.executor.cores": executorCores }),
    ...(numExecutors !== undefined && { "spark.executor.instances": numExecutors }),
  };
}

function entriesOf(list = ""): readonly string[] {
  return list.split(/[, ]+/);
}

/** Returns the settings that Livy forces, by which dashboards and Livy itself select pods. */
export function taggedSettings(tag: string): Readonly<Record<string, string>> {
  return {
    "spark.kubernetes.driver.label.spark-app-tag": tag,
    "spark.kubernetes.executor.label.spark-app-tag": tag,
    "spark.ui.proxyBase": `/${tag}`,
  };
}

const tagCharacters = "abcdefghijklmnopqrstuvwxyz0123456789";

/** Returns the tag of a batch: its ID and eight characters, from as many random bytes. */
export function batchTag(id: string, bytes: Uint8Array): string {
  const unique = [...bytes].map((byte) => tagCharacters[byte % tagCharacters.length]);
  return `livy-batch-${id}-${unique.join("")}`;
}
