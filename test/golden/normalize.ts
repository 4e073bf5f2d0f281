import type { StoredObject } from "./api-state.ts";
import { isRecord } from "./plain-data.ts";

/** Replaces the values that differ between runs by the placeholders of the recordings. */
export type Scrub = (text: string) => string;

const uniqueId = /(?<![0-9a-z])[0-9a-fx][0-9a-f]{15}(?![0-9a-z])/g;
const confMap = /spark-(drv|exec)-([0-9a-f]{16})-conf-map/g;

/** Builds a scrubber. @param names names of objects, the driver's pod first, to identify the IDs */
export function scrubber({ dir, port, names }: { dir: string; port: string; names: readonly string[] }): Scrub {
  const [firstConfMap] = names.flatMap((name) => [...name.matchAll(confMap)].map(([, , id]) => id));
  const [prefixId] = names.filter((name) => !/-conf-map$/.test(name)).flatMap((name) => name.match(uniqueId) ?? []);
  return (text) =>
    text
      .replaceAll(dir, "{{DIR}}")
      .replace(new RegExp(`(127\\.0\\.0\\.1|localhost)(\\\\?:)${port}(?!\\d)`, "g"), "$1$2{{PORT}}")
      .replace(/(spark\.app\.submitTime\W+)\d{13}/g, "$1<time>")
      .replace(confMap, (_, kind, id) => `spark-${kind}-<conf-id${id === firstConfMap ? "" : "-unknown"}>-conf-map`)
      .replace(/spark-[0-9a-f]{32}(?![0-9a-f])/g, "<app-id>")
      .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "<uuid>")
      .replace(uniqueId, (id) => (id === prefixId ? "<id>" : "<other-id>"));
}

/** Sorts lists that Apache's client prints in the order of a hash map. */
export function sortLists(text: string): string {
  return text
    .replace(/^(\s*(?:labels|volumes): )(.*)$/gm, (_, head, list) => head + list.split(", ").sort().join(", "))
    .replace(
      /(configuration files loaded from Some\(.*?\) : |Skipped conf file\(s\) )([^ ]+?)(?=, due|$)/gm,
      (_, head, list) => head + list.split(",").sort().join(","),
    );
}

/** Converts objects to the format of the recordings: scrubbed, without server fields, by kind, namespace and name. */
export function comparableObjects(
  objects: readonly StoredObject[],
  scrub: Scrub,
  flags: { anyPvcNumber?: boolean; sortLocalDirs?: boolean } = {},
): ReadonlyMap<string, unknown> {
  const text: Scrub =
    flags.anyPvcNumber === true ? (value) => scrub(value).replace(/-driver-pvc-\d+/g, "-driver-pvc-<n>") : scrub;
  const entries = objects.map((object): [string, unknown] => {
    const copy = withoutServerFields(object, objects);
    if (flags.sortLocalDirs === true) sortLocalDirs(copy);
    const plain = canonical(copy, text);
    return [labelOf(plain), relax(plain)];
  });
  return new Map(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Converts recorded objects for the comparison. */
export function recordedObjects(objects: readonly unknown[]): ReadonlyMap<string, unknown> {
  return new Map(objects.map((object): [string, unknown] => [labelOf(object), relax(object)]));
}

function labelOf(object: unknown): string {
  if (!isRecord(object) || !isRecord(object["metadata"])) return "?";
  const { namespace, name } = object["metadata"];
  return `${object["kind"]}/${namespace}/${name}`;
}

function withoutServerFields(object: StoredObject, all: readonly StoredObject[]): StoredObject {
  const { status: _, ...copy } = structuredClone(object);
  const { metadata } = copy;
  for (const field of ["uid", "resourceVersion", "creationTimestamp", "generation", "managedFields"]) {
    delete metadata[field];
  }
  const owners = Array.isArray(metadata["ownerReferences"]) ? metadata["ownerReferences"] : [];
  for (const owner of owners) {
    const target = all.find((candidate) => candidate.metadata.uid === owner.uid);
    owner.uid = target === undefined ? "<uid of nothing>" : `<uid of ${target.kind}/${target.metadata.name}>`;
  }
  const { data } = copy;
  if (isRecord(data) && typeof data["spark.properties"] === "string") {
    const properties = parseProperties(data["spark.properties"]);
    if ("spark.app.submitTime" in properties) properties["spark.app.submitTime"] = "<time>";
    data["spark.properties"] = properties;
  }
  return copy;
}

/** Parses Java properties with the escapes of a writer. */
function parseProperties(text: string): Record<string, string> {
  const plain = (escaped: string) =>
    escaped.replace(/\\(?:u([0-9a-fA-F]{4})|(.))/g, (_, hex, letter) =>
      hex === undefined
        ? ({ t: "\t", n: "\n", r: "\r", f: "\f" }[String(letter)] ?? String(letter))
        : String.fromCharCode(Number.parseInt(hex, 16)),
    );
  const result: Record<string, string> = {};
  for (const line of text.split(/\r?\n/)) {
    const [, key, value = ""] = /^(?![#!])((?:\\.|[^\\=:\s])+)[=:\s]?(.*)$/.exec(line) ?? [];
    if (key !== undefined) result[plain(key)] = plain(value);
  }
  return result;
}

/** Lists without a significant order, with the field that identifies their items. */
const unordered: Readonly<Record<string, string>> = {
  env: "name",
  volumes: "name",
  volumeMounts: "mountPath",
  items: "key",
};

function canonical(value: unknown, scrub: Scrub, field = ""): unknown {
  if (typeof value === "string") return scrub(value);
  if (Array.isArray(value)) {
    const list = value.map((item) => canonical(item, scrub));
    const key = unordered[field];
    return key === undefined ? list : list.sort((a, b) => compareText(fieldText(a, key), fieldText(b, key)));
  }
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, item]) => item !== undefined && item !== null)
      .map(([key, item]): [string, unknown] => [scrub(key), canonical(item, scrub, key)])
      .sort(([a], [b]) => compareText(a, b)),
  );
}

function fieldText(item: unknown, key: string): string {
  return isRecord(item) ? String(item[key] ?? "") : "";
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

const insignificantEmptyMaps = /^(labels|annotations|nodeSelector|limits|requests|resources|securityContext)$/;

/** Removes values that an API server treats as absent, so that `subPath: ""` equals no `subPath`. */
function relax(value: unknown, parent = ""): unknown {
  if (Array.isArray(value)) return value.map((item) => relax(item));
  if (!isRecord(value)) return value;
  const isInsignificant = (key: string, item: unknown) =>
    (Array.isArray(item) && item.length === 0) ||
    (isRecord(item) && Object.keys(item).length === 0 && insignificantEmptyMaps.test(key)) ||
    (item === "" && /^(subPath|subPathExpr|type|medium)$/.test(key)) ||
    (item === "" && key === "value" && parent !== "data") ||
    (item === false && /^(readOnly|optional)$/.test(key)) ||
    (item === "TCP" && key === "protocol");
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, item]): [string, unknown] => [key, relax(item, key)])
      .filter(([key, item]) => !isInsignificant(key, item)),
  );
}

/** Sorts local directories, which Apache's client lists in random order, and renumbers their volumes. */
function sortLocalDirs({ spec }: StoredObject): void {
  const containers = isRecord(spec) && Array.isArray(spec["containers"]) ? spec["containers"] : [];
  for (const { env = [], volumeMounts = [] } of containers) {
    for (const variable of env) {
      if (variable.name === "SPARK_LOCAL_DIRS") variable.value = variable.value.split(",").sort().join(",");
    }
    volumeMounts
      .filter(({ name }: { name: string }) => /^spark-local-dir-\d+$/.test(name))
      .sort((a: { mountPath: string }, b: { mountPath: string }) => compareText(a.mountPath, b.mountPath))
      .forEach((mount: { name: string }, index: number) => {
        mount.name = `spark-local-dir-${index + 1}`;
      });
  }
}
