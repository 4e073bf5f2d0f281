import { fieldTable } from "./fields.ts";

/** The fields of an object type. */
export interface StructType {
  readonly kind: "struct";
  /** Section and name in the table, e.g. `core.Container`. */
  readonly name: string;
  /** Whether server-side apply treats it as one value. */
  readonly atomic: boolean;
  readonly fields: ReadonlyMap<string, Field>;
}

type ScalarKind =
  | "string"
  | "boolean"
  | "int32"
  | "int64"
  | "bytes"
  | "quantity"
  | "intOrString"
  | "time"
  | "microTime"
  | "duration"
  | "jsonSchema"
  | "any";

export type FieldType =
  | { readonly kind: ScalarKind }
  | { readonly kind: "list"; readonly item: FieldType }
  | { readonly kind: "map"; readonly value: FieldType }
  | StructType;

export interface Field {
  readonly name: string;
  readonly type: FieldType;
  /** Whether it is written when empty. */
  readonly always: boolean;
  /** Whether an empty struct or time is omitted; others are always written. */
  readonly omitZero: boolean;
  /** Whether it distinguishes absent from zero. */
  readonly pointer: boolean;
  /** Path of field numbers in protobuf: an embedded struct is a nested message. */
  readonly numbers: readonly number[];
  /** For strategic merge: key of the list's items; empty for lists of scalars. `undefined`: the list is replaced. */
  readonly mergeKey: string | undefined;
  /** For strategic merge: whether only fields in the patch are kept. */
  readonly retainKeys: boolean;
  /** For server-side apply: one value, a set, or a list whose items have these keys. */
  readonly merging: "atomic" | "set" | readonly string[] | undefined;
  /** Default of an absent value. */
  readonly fallback: string | undefined;
}

/*
 * Format of the table: `# section`, then a line for each struct: its name, `@` if it is atomic, and its fields:
 *
 *   name ! ? * : type # number ~mergeKey ^ @merging =fallback
 *
 * `!` always, `?` omitZero, `*` pointer; a type is a letter, `[item]`, `{value}` or `section.Name`; `^` retainKeys; merging is `@`
 * (atomic), `@set` or `@key+key`. `(n ... )` surrounds the fields of an embedded struct with protobuf number n.
 */
const fieldShape = /^(\w+|\$ref)(!?)(\??)(\*?):([^#]+)#(\d+)(?:~(\w*))?(\^?)(?:@([\w+]*))?(?:=(.*))?$/;

const scalars: Readonly<Record<string, ScalarKind>> = {
  s: "string",
  b: "boolean",
  i: "int32",
  l: "int64",
  y: "bytes",
  q: "quantity",
  x: "intOrString",
  t: "time",
  u: "microTime",
  d: "duration",
  j: "jsonSchema",
  o: "any",
};

let lines: ReadonlyMap<string, string> | undefined;
const structs = new Map<string, StructType>();

/** Returns the type with a name of the table, e.g. `core.Pod`. */
export function structType(name: string): StructType {
  const known = structs.get(name);
  if (known !== undefined) return known;
  lines ??= readLines();
  const line = lines.get(name);
  if (line === undefined) throw new RangeError(`No type ${name} in the table of fields.`);
  const [head = "", ...entries] = line.split(" ");
  let fields: ReadonlyMap<string, Field> | undefined;
  const type: StructType = {
    kind: "struct",
    name,
    atomic: head.endsWith("@"),
    // Types refer to each other: parse fields on first use.
    get fields() {
      fields ??= readFields(entries);
      return fields;
    },
  };
  structs.set(name, type);
  return type;
}

/** Returns the type of a kind, e.g. `apps/v1` and `StatefulSet`, or of options of all groups; `undefined` if unknown. */
export function findStructType(apiVersion: string, kind: string): StructType | undefined {
  if (/\..*\//.test(apiVersion) && !/\.k8s\.io\//.test(apiVersion)) return undefined;
  lines ??= readLines();
  const [group, version] = apiVersion.includes("/") ? apiVersion.split("/") : ["", apiVersion];
  const sections = [sectionOf(group, version), sectionOf(group, "v1"), "meta"];
  const name = sections.map((section) => `${section}.${kind}`).find((candidate) => lines?.has(candidate));
  return name === undefined ? undefined : structType(name);
}

/** Returns the section of an API group's version in the table, e.g. `apps`, `autoscalingv2`. */
export function sectionOf(group = "", version = "v1"): string {
  const name = group === "" ? "core" : group.split(".", 1)[0];
  return `${name}${version === "v1" ? "" : version}`;
}

function readLines(): ReadonlyMap<string, string> {
  const result = new Map<string, string>();
  let section = "";
  for (const line of fieldTable.split("\n")) {
    if (line.startsWith("# ")) section = line.slice(2);
    else if (line !== "") result.set(`${section}.${line.split(/[ @]/, 1)[0]}`, line);
  }
  return result;
}

function readFields(entries: readonly string[]): ReadonlyMap<string, Field> {
  const fields = new Map<string, Field>();
  const outer: number[] = [];
  for (const entry of entries) {
    if (entry === ")") outer.pop();
    else if (entry.startsWith("(")) outer.push(Number(entry.slice(1)));
    else {
      const field = readField(entry, outer);
      fields.set(field.name, field);
    }
  }
  return fields;
}

function readField(entry: string, outer: readonly number[]): Field {
  const [, name, always, omitZero, pointer, type = "", number, mergeKey, retain, merging, fallback] =
    fieldShape.exec(entry) ?? [];
  if (name === undefined) throw new RangeError(`The table of fields has a bad entry: ${entry}`);
  return {
    name,
    type: readType(type),
    always: always === "!",
    omitZero: omitZero === "?",
    pointer: pointer === "*",
    numbers: [...outer, Number(number)],
    mergeKey,
    retainKeys: retain === "^",
    merging: merging === "" ? "atomic" : merging === "set" ? "set" : merging?.split("+"),
    fallback,
  };
}

function readType(text: string): FieldType {
  const kind = scalars[text];
  if (kind !== undefined) return { kind };
  if (text.startsWith("[")) return { kind: "list", item: readType(text.slice(1, -1)) };
  if (text.startsWith("{")) return { kind: "map", value: readType(text.slice(1, -1)) };
  return structType(text);
}
