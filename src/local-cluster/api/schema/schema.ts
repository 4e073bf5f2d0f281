import { fieldTable } from "./fields.ts";

/** What the fields of an object are called and hold; `undefined` fields of a struct are unknown to the API. */
export interface StructType {
  readonly kind: "struct";
  /** Section and name in the table, e.g. `core.Container`. */
  readonly name: string;
  /** Server-side apply owns it as a whole. */
  readonly atomic: boolean;
  readonly fields: ReadonlyMap<string, Field>;
}

export type ScalarKind =
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
  | "any";

export type FieldType =
  | { readonly kind: ScalarKind }
  | { readonly kind: "list"; readonly item: FieldType }
  | { readonly kind: "map"; readonly value: FieldType }
  | StructType;

export interface Field {
  readonly name: string;
  readonly type: FieldType;
  /** Is written even when it is empty. */
  readonly always: boolean;
  /** A struct or time that is left out when it is empty; others of these are always written. */
  readonly omitZero: boolean;
  /** Tells absent from zero. */
  readonly pointer: boolean;
  /** Path of field numbers on the protobuf wire: an embedded struct is a message of its own there. */
  readonly numbers: readonly number[];
  /** Of a strategic merge: the key of a list's items; empty for lists of scalars. `undefined`: the list is replaced. */
  readonly mergeKey: string | undefined;
  /** Of a strategic merge: only the fields that the patch names are kept. */
  readonly retainKeys: boolean;
  /** Of server-side apply: one value, a set, or a list whose items have these keys. */
  readonly merging: "atomic" | "set" | readonly string[] | undefined;
  /** What an absent value means. */
  readonly fallback: string | undefined;
}

/*
 * How the table is written. `# section`, then a line for each struct: its name, `@` if it is atomic, and its fields:
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
  o: "any",
};

let lines: ReadonlyMap<string, string> | undefined;
const structs = new Map<string, StructType>();

/** The type with a name of the table, e.g. `core.Pod`. */
export function structType(name: string): StructType {
  const known = structs.get(name);
  if (known !== undefined) return known;
  lines ??= readLines();
  const line = lines.get(name);
  if (line === undefined) throw new RangeError(`No type ${name} in the table of fields.`);
  const [head = "", ...words] = line.split(" ");
  let fields: ReadonlyMap<string, Field> | undefined;
  const type: StructType = {
    kind: "struct",
    name,
    atomic: head.endsWith("@"),
    // Types hold one another: fields are read when they are asked for.
    get fields() {
      fields ??= readFields(words);
      return fields;
    },
  };
  structs.set(name, type);
  return type;
}

/** The type of a kind, e.g. of `apps/v1` and `StatefulSet`, or of options that every group knows; `undefined` if we have none. */
export function findStructType(apiVersion: string, kind: string): StructType | undefined {
  lines ??= readLines();
  const section = apiVersion.includes("/") ? apiVersion.split(/[./]/, 1)[0] : "core";
  const name = [`${section}.${kind}`, `meta.${kind}`].find((candidate) => lines?.has(candidate));
  return name === undefined ? undefined : structType(name);
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

function readFields(words: readonly string[]): ReadonlyMap<string, Field> {
  const fields = new Map<string, Field>();
  const outer: number[] = [];
  for (const word of words) {
    if (word === ")") outer.pop();
    else if (word.startsWith("(")) outer.push(Number(word.slice(1)));
    else {
      const field = readField(word, outer);
      fields.set(field.name, field);
    }
  }
  return fields;
}

function readField(word: string, outer: readonly number[]): Field {
  const [, name, always, omitZero, pointer, type = "", number, mergeKey, retain, merging, fallback] =
    fieldShape.exec(word) ?? [];
  if (name === undefined) throw new RangeError(`The table of fields has a bad entry: ${word}`);
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
