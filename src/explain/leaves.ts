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
  return Object.entries(object).flatMap(([field, value]) =>
    leaves(value, { id: field, path: field, indexed: field, field }),
  );
}

interface Position extends Omit<Leaf, "value"> {
  /** Name of the last field of the path. */
  readonly field: string;
}

function leaves(value: unknown, at: Position): readonly Leaf[] {
  if (Array.isArray(value)) return value.length === 0 ? [leaf(at, [])] : items(value, at);
  if (isFields(value)) return members(value, at);
  if (at.field === propertiesFile && typeof value === "string") return properties(value, at);
  return isScalar(value) ? [leaf(at, value)] : [];
}

function leaf({ id, path, indexed }: Position, value: LeafValue): Leaf {
  return { id, path, indexed, value };
}

function isScalar(value: unknown): value is string | number | boolean | null {
  return value === null || ["string", "number", "boolean"].includes(typeof value);
}

function members(value: Fields, at: Position): readonly Leaf[] {
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  if (entries.length === 0) return [leaf(at, {})];
  return entries.flatMap(([field, item]) => leaves(item, below(at, field)));
}

function below(at: Position, field: string): Position {
  const suffix = /^[A-Za-z_]\w*$/.test(field) ? `.${field}` : `[${field}]`;
  return { id: at.id + suffix, path: at.path + suffix, indexed: at.indexed + suffix, field };
}

function items(list: readonly unknown[], at: Position): readonly Leaf[] {
  const names = list.map((item, index) => nameOf(item, at.field) ?? String(index));
  return list.flatMap((item, index) => {
    const key = nameKeyOf(item, at.field);
    const earlier = names.slice(0, index).filter((name) => name === names[index]).length;
    const name = `${names[index]}${earlier === 0 ? "" : `#${earlier + 1}`}`;
    const isMain = at.field === "containers" && index === list.length - 1;
    return leaves(at.field === "containers" ? item : withoutKey(item, key), {
      id: `${at.id}[${isMain ? "main" : name}]`,
      path: `${at.path}[${name}]`,
      indexed: `${at.indexed}[${index}]`,
      field: name,
    });
  });
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

function properties(text: string, at: Position): readonly Leaf[] {
  const parsed = parseProperties(text);
  if (!parsed.ok) return [leaf(at, text)];
  return [...parsed.entries].map(([key, value]) => {
    const suffix = `[${key}]`;
    const position = { id: at.id + suffix, path: at.path + suffix, indexed: at.indexed + suffix, field: key };
    return leaf(position, value);
  });
}

/** Compares leaves by value; empty lists and objects by their JSON. */
export function isSame(a: LeafValue | undefined, b: LeafValue | undefined): boolean {
  return Object.is(a, b) || (typeof a === "object" && JSON.stringify(a) === JSON.stringify(b));
}
