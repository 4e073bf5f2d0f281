import { livyFileLists, livyRejectedKeys, livyResourceKeys, otherLivyFileLists } from "../../conf/entries/livy.ts";
import { namespace as namespaceEntry } from "../../conf/entries/submission.ts";
import type { Submission } from "../model/application.ts";
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
    ...livyFileLists.map(({ key, field }): [string, readonly string[]] => [
      key,
      [...request[field], ...entriesOf(conf[key])],
    ]),
    ...otherLivyFileLists.map((key): [string, readonly string[]] => [key, entriesOf(conf[key])]),
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
    (key) => livyRejectedKeys.includes(key) || more.includes(key) || isReservedSetting(key),
  );
  const namespace = conf[namespaceEntry.key];
  const isForeign = namespace !== undefined && namespaces?.includes(namespace) === false;
  return [
    ...(rejected.length === 0 ? [] : [`Blacklisted configuration values in session config: ${rejected.join(", ")}`]),
    ...(isForeign ? [`The namespace '${namespace}' is not allowed; allowed: ${namespaces?.join(", ")}.`] : []),
  ];
}

function resourceSettings(request: BatchRequest): Readonly<Record<string, string>> {
  const keys = livyResourceKeys;
  return {
    ...(request.driverMemory !== undefined && { [keys.driverMemory]: request.driverMemory }),
    ...(request.driverCores !== undefined && { [keys.driverCores]: request.driverCores }),
    ...(request.executorMemory !== undefined && { [keys.executorMemory]: request.executorMemory }),
    ...(request.executorCores !== undefined && { [keys.executorCores]: request.executorCores }),
    ...(request.numExecutors !== undefined && { [keys.numExecutors]: request.numExecutors }),
  };
}

function entriesOf(list = ""): readonly string[] {
  return list.split(/[, ]+/);
}

const tagCharacters = "abcdefghijklmnopqrstuvwxyz0123456789";

/** Returns the tag of a batch: its ID and eight characters, from as many random bytes. */
export function batchTag(id: string, bytes: Uint8Array): string {
  const unique = [...bytes].map((byte) => tagCharacters[byte % tagCharacters.length]);
  return `livy-batch-${id}-${unique.join("")}`;
}
