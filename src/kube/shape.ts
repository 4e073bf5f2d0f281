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
  if (shape === "any") return undefined;
  if (isList(shape)) return listProblem(value, shape[0], path);
  if (typeof shape === "object") return objectProblem(value, shape, path);
  if (shape === "texts" || shape === "scalars") return mapProblem(value, shape === "texts" ? "text" : "scalar", path);
  const type = typeof value;
  const isScalar = type === "string" || type === "number";
  const fits = shape === "scalar" ? isScalar : type === { text: "string", number: "number", flag: "boolean" }[shape];
  return fits ? undefined : mismatch(path, value, names[shape]);
}

function isList(shape: Shape): shape is readonly [Shape] {
  return Array.isArray(shape);
}

function listProblem(value: unknown, item: Shape, path: string): string | undefined {
  if (!Array.isArray(value)) return mismatch(path, value, "a list");
  for (let index = 0; index < value.length; index += 1) {
    const problem = shapeProblem(value[index], item, `${path}[${index}]`);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function objectProblem(value: unknown, shape: { readonly [field: string]: Shape }, path: string): string | undefined {
  if (!isObject(value)) return mismatch(path, value, "an object");
  for (const [key, type] of Object.entries(shape)) {
    const isRequired = key.endsWith("!");
    const name = isRequired ? key.slice(0, -1) : key;
    if (value[name] === null) Reflect.deleteProperty(value, name);
    const field = path === "" ? name : `${path}.${name}`;
    if (value[name] === undefined) {
      if (isRequired && !isList(type)) return `${field} is missing`;
      if (isRequired) Reflect.set(value, name, []);
      continue;
    }
    const problem = shapeProblem(value[name], type, field);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function mapProblem(value: unknown, item: "text" | "scalar", path: string): string | undefined {
  if (!isObject(value)) return mismatch(path, value, "an object");
  for (const key of Object.keys(value)) {
    if (value[key] === null) Reflect.deleteProperty(value, key);
    else if (shapeProblem(value[key], item, "") !== undefined)
      return mismatch(`${path}[${JSON.stringify(key)}]`, value[key], names[item]);
  }
  return undefined;
}

function mismatch(path: string, value: unknown, expected: string): string {
  const found = value === null ? "null" : Array.isArray(value) ? "a list" : typeNames[typeof value];
  return `${path === "" ? "it" : path} is ${found}, not ${expected}`;
}

const typeNames: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  boolean: "true or false",
  object: "an object",
};

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
