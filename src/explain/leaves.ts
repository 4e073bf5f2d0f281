import type { KubeResource } from "../kube/types.ts";
import { type Fields, isFields } from "../values/fields.ts";
import { parseProperties } from "../values/properties.ts";

/** A value of an object that has no parts: text, number, truth, or something empty. */
export type LeafValue = string | number | boolean | null | readonly [] | Readonly<Record<string, never>>;

/** One field. */
export interface Leaf {
  /**
   * Where it is, items of lists by their names: `spec.containers[main].env[SPARK_USER].value`. The role's own container,
   * the last one, is always `main` here, so that paths of two pods can be compared.
   */
  readonly id: string;
  /** The same for people: with the container's own name. */
  readonly path: string;
  /** The same with numbers, as `kubectl` and `jq` have it: `spec.containers[0].env[3].value`. */
  readonly indexed: string;
  readonly value: LeafValue;
}

/** The fields that tell items of a list apart, by the list's own field. */
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

/** The key of a ConfigMap whose value is itself a list of settings. */
const propertiesFile = "spark.properties";

/** All fields of an object, in its order; the settings of `spark.properties` one by one. */
export function leavesOf(object: KubeResource): readonly Leaf[] {
  return Object.entries(object).flatMap(([field, value]) =>
    leaves(value, { id: field, path: field, indexed: field, field }),
  );
}

interface Position extends Omit<Leaf, "value"> {
  /** The last field's own name. */
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

/** These variables are a list, in which one more option would shift all others. The value may be secret. */
function javaOptionName(option: string): string {
  return `SPARK_JAVA_OPT_*: ${option.startsWith("-D") ? option.replace(/=.*$/s, "") : option}`;
}

function nameKeyOf(item: unknown, list: string): string | undefined {
  const key = itemKeys[list];
  return key !== undefined && isFields(item) && typeof item[key] === "string" ? key : undefined;
}

/** The path says already what an item is called, unless it has nothing but its name. */
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
