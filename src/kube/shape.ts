/**
 * Type of a JSON value: `scalar` is a text or a number, `texts` and `scalars` are maps. A field with `!` at the end of its name is
 * required; a required list may be absent, as an empty one.
 */
export type Shape =
  | "any"
  | "text"
  | "number"
  | "flag"
  | "scalar"
  | "texts"
  | "scalars"
  | readonly [Shape]
  | { readonly [field: string]: Shape };

const names = {
  text: "a string",
  number: "a number",
  flag: "true or false",
  scalar: "a string or a number",
  texts: "an object",
  scalars: "an object",
} as const;

/**
 * Describes the first value that does not have its type, e.g. `spec.containers is a string, not a list`; `undefined` if there is none.
 * Removes fields that are null: a server may send null for an absent value, as Go's encoding of an empty list.
 */
export function shapeProblem(value: unknown, shape: Shape, path: string): string | undefined {
  const parts = path === "" ? [] : [path];
  const problem = findProblem(value, shape, parts);
  return problem === undefined ? undefined : `${parts.length === 0 ? "it" : parts.join("")} ${problem}`;
}

/** Steps from the root to the current value, e.g. `spec`, `.containers`, `[0]`. They stay as they are when a problem is found. */
type Path = string[];

function findProblem(value: unknown, shape: Shape, path: Path): string | undefined {
  if (shape === "any") return undefined;
  if (isList(shape)) return listProblem(value, shape[0], path);
  if (typeof shape === "object") return objectProblem(value, shape, path);
  if (shape === "texts" || shape === "scalars") return mapProblem(value, shape === "texts" ? "text" : "scalar", path);
  const type = typeof value;
  const isScalar = type === "string" || type === "number";
  const fits = shape === "scalar" ? isScalar : type === scalarTypes[shape];
  return fits ? undefined : mismatch(value, names[shape]);
}

const scalarTypes = { text: "string", number: "number", flag: "boolean" } as const;

function isList(shape: Shape): shape is readonly [Shape] {
  return Array.isArray(shape);
}

function listProblem(value: unknown, item: Shape, path: Path): string | undefined {
  if (!Array.isArray(value)) return mismatch(value, "a list");
  for (let index = 0; index < value.length; index += 1) {
    path.push(`[${index}]`);
    const problem = findProblem(value[index], item, path);
    if (problem !== undefined) return problem;
    path.pop();
  }
  return undefined;
}

interface Field {
  readonly name: string;
  readonly step: string;
  readonly isRequired: boolean;
  readonly type: Shape;
}

type Fields = { readonly [field: string]: Shape };

/** Shapes are constants, and each is used for thousands of values. */
const fieldsOfShapes = new WeakMap<Fields, readonly Field[]>();

function fieldsOf(shape: Fields): readonly Field[] {
  const known = fieldsOfShapes.get(shape);
  if (known !== undefined) return known;
  const fields = Object.entries(shape).map(([key, type]) => {
    const isRequired = key.endsWith("!");
    const name = isRequired ? key.slice(0, -1) : key;
    return { name, step: `.${name}`, isRequired, type };
  });
  fieldsOfShapes.set(shape, fields);
  return fields;
}

function objectProblem(value: unknown, shape: Fields, path: Path): string | undefined {
  if (!isObject(value)) return mismatch(value, "an object");
  for (const { name, step, isRequired, type } of fieldsOf(shape)) {
    const content = value[name];
    if (content === null) Reflect.deleteProperty(value, name);
    if (content === undefined || content === null) {
      if (isRequired && isList(type)) Reflect.set(value, name, []);
      if (!isRequired || isList(type)) continue;
    }
    path.push(path.length === 0 ? name : step);
    const problem = content === undefined || content === null ? "is missing" : findProblem(content, type, path);
    if (problem !== undefined) return problem;
    path.pop();
  }
  return undefined;
}

function mapProblem(value: unknown, item: "text" | "scalar", path: Path): string | undefined {
  if (!isObject(value)) return mismatch(value, "an object");
  for (const key of Object.keys(value)) {
    const problem = value[key] === null ? undefined : findProblem(value[key], item, path);
    if (value[key] === null) Reflect.deleteProperty(value, key);
    if (problem === undefined) continue;
    path.push(`[${JSON.stringify(key)}]`);
    return problem;
  }
  return undefined;
}

function mismatch(value: unknown, expected: string): string {
  const found = value === null ? "null" : Array.isArray(value) ? "a list" : typeNames[typeof value];
  return `is ${found}, not ${expected}`;
}

const typeNames: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  boolean: "true or false",
  object: "an object",
};

/** Returns whether a value is a JSON object: neither null nor an array. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
