import type { KubeResource } from "../kube/types.ts";
import { type Fields, isFields } from "../values/fields.ts";
import { parseProperties } from "../values/properties.ts";

/** A value without parts: a scalar, or an empty list or object. */
export type LeafValue = string | number | boolean | null | readonly [] | Readonly<Record<string, never>>;

/** One field of an object. */
interface Leaf {
  /**
   * Path with list items by name: `spec.containers[main].env[SPARK_USER].value`. The last container, which is Spark's, is always `main`
   * here, so that paths of two pods are comparable.
   */
  readonly id: string;
  /** Path with the actual name of the container. */
  readonly path: string;
  /** Path with indexes, as for `kubectl` and `jq`: `spec.containers[0].env[3].value`. */
  readonly indexed: string;
  readonly value: LeafValue;
}

/** Key field of the items of a list, by the name of the list. */
const itemKeys: Readonly<Record<string, string>> = {
  containers: "name",
  initContainers: "name",
  env: "name",
  ports: "name",
  volumes: "name",
  volumeMounts: "mountPath",
  imagePullSecrets: "name",
  items: "key",
  resizePolicy: "resourceName",
  ownerReferences: "kind",
};

/** Key of a ConfigMap whose value is a properties file. */
const propertiesFile = "spark.properties";

/** Returns all fields of an object, in its order; each setting of `spark.properties` is a field. */
export function leavesOf(object: KubeResource): readonly Leaf[] {
  const found: Leaf[] = [];
  for (const [field, value] of Object.entries(object)) {
    addLeaves(found, value, { id: field, path: field, indexed: field, field });
  }
  return found;
}

interface Position extends Omit<Leaf, "value"> {
  /** Name of the last field of the path. */
  readonly field: string;
}

function addLeaves(found: Leaf[], value: unknown, at: Position): void {
  if (Array.isArray(value) && value.length > 0) addItems(found, value, at);
  else if (Array.isArray(value)) addLeaf(found, [], at);
  else if (isFields(value)) addMembers(found, value, at);
  else if (at.field === propertiesFile && typeof value === "string") addProperties(found, value, at);
  else if (isScalar(value)) addLeaf(found, value, at);
}

function addLeaf(found: Leaf[], value: LeafValue, { id, path, indexed }: Position): void {
  found.push({ id, path, indexed, value });
}

function isScalar(value: unknown): value is string | number | boolean | null {
  return value === null || ["string", "number", "boolean"].includes(typeof value);
}

function addMembers(found: Leaf[], value: Fields, at: Position): void {
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  if (entries.length === 0) addLeaf(found, {}, at);
  for (const [field, item] of entries) addLeaves(found, item, below(at, field));
}

function below(at: Position, field: string): Position {
  const suffix = /^[A-Za-z_]\w*$/.test(field) ? `.${field}` : `[${field}]`;
  return { id: at.id + suffix, path: at.path + suffix, indexed: at.indexed + suffix, field };
}

function addItems(found: Leaf[], list: readonly unknown[], at: Position): void {
  const names = list.map((item, index) => nameOf(item, at.field) ?? String(index));
  for (const [index, item] of list.entries()) {
    const key = nameKeyOf(item, at.field);
    const earlier = names.slice(0, index).filter((name) => name === names[index]).length;
    const name = `${names[index]}${earlier === 0 ? "" : `#${earlier + 1}`}`;
    const isMain = at.field === "containers" && index === list.length - 1;
    addLeaves(found, at.field === "containers" ? item : withoutKey(item, key), {
      id: `${at.id}[${isMain ? "main" : name}]`,
      path: `${at.path}[${name}]`,
      indexed: `${at.indexed}[${index}]`,
      field: name,
    });
  }
}

function nameOf(item: unknown, list: string): string | undefined {
  const key = nameKeyOf(item, list);
  if (key === undefined || !isFields(item)) return undefined;
  const name = String(item[key]);
  return /^SPARK_JAVA_OPT_\d+$/.test(name) ? javaOptionName(String(item["value"])) : name;
}

/** Names these variables by their option: with numbers, one more option would change all others. Omits the value, which can be secret. */
function javaOptionName(option: string): string {
  return `SPARK_JAVA_OPT_*: ${option.startsWith("-D") ? option.replace(/=.*$/s, "") : option}`;
}

function nameKeyOf(item: unknown, list: string): string | undefined {
  const key = itemKeys[list];
  return key !== undefined && isFields(item) && typeof item[key] === "string" ? key : undefined;
}

/** Removes the key field, which the path contains; except from an item without other fields. */
function withoutKey(item: unknown, key: string | undefined): unknown {
  if (key === undefined || !isFields(item)) return item;
  const { [key]: _, ...rest } = item;
  return Object.keys(rest).length === 0 ? item : rest;
}

function addProperties(found: Leaf[], text: string, at: Position): void {
  const parsed = parseProperties(text);
  if (!parsed.ok) addLeaf(found, text, at);
  for (const [key, value] of parsed.ok ? parsed.entries : []) {
    const suffix = `[${key}]`;
    addLeaf(found, value, { id: at.id + suffix, path: at.path + suffix, indexed: at.indexed + suffix, field: key });
  }
}

/** Compares leaves by value; empty lists and objects by their JSON. */
export function isSame(a: LeafValue | undefined, b: LeafValue | undefined): boolean {
  return Object.is(a, b) || (typeof a === "object" && JSON.stringify(a) === JSON.stringify(b));
}
