import type { Contribution } from "../../features/step.ts";
import { isFields } from "../../values/fields.ts";

/** Explains why the result of a user step cannot be added, e.g. `env[0] has no name`; `undefined` when it can. */
export function objectionTo(value: unknown): string | undefined {
  if (!isFields(value) || value instanceof Promise) {
    return `it is ${nameOf(value)}, not an object with contributions`;
  }
  for (const [field, part] of Object.entries(value)) {
    const check = parts.get(field);
    if (check === undefined) return `it has the unknown field ${field}; known are ${[...parts.keys()].join(", ")}`;
    const objection = part === undefined ? undefined : check(field, part);
    if (objection !== undefined) return objection;
  }
  return undefined;
}

/** Whether the result of a user step can be added. */
export function isContribution(value: unknown): value is Contribution {
  return objectionTo(value) === undefined;
}

/** Describes a value for a message. */
export function nameOf(value: unknown): string {
  if (value instanceof Promise) return "a promise";
  if (Array.isArray(value)) return "a list";
  if (value === null || value === undefined) return "nothing";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

type Check = (path: string, value: unknown) => string | undefined;

const isText: Check = (path, value) =>
  typeof value === "string" ? undefined : `${path} is ${nameOf(value)}, not text`;

const isTextMap: Check = (path, value) => {
  if (!isFields(value)) return `${path} is ${nameOf(value)}, not an object`;
  return first(Object.entries(value), ([key, item]) => isText(`${path}.${key}`, item));
};

/** Builds a check for a list of objects with these fields. */
function listOf(...fields: readonly string[]): Check {
  return (path, value) => {
    if (!Array.isArray(value)) return `${path} is ${nameOf(value)}, not a list`;
    return first([...value.entries()], ([index, item]) => lacks(`${path}[${index}]`, item, fields));
  };
}

function lacks(path: string, value: unknown, fields: readonly string[]): string | undefined {
  if (!isFields(value)) return `${path} is ${nameOf(value)}, not an object`;
  const missing = fields.find((field) => value[field] === undefined || value[field] === "");
  return missing === undefined ? undefined : `${path} has no ${missing}`;
}

/** Builds a check for an object without the fields that belong into other parts of a contribution. */
function withoutFields(elsewhere: Readonly<Record<string, string>>): Check {
  return (path, value) => {
    if (!isFields(value)) return `${path} is ${nameOf(value)}, not an object`;
    const wrong = Object.entries(elsewhere).find(([field]) => field in value);
    return wrong === undefined ? undefined : `${path}.${wrong[0]} belongs into ${wrong[1]}`;
  };
}

const isObjectList: Check = (path, value) =>
  listOf("apiVersion", "kind", "metadata")(path, value) ??
  first(Array.isArray(value) ? [...value.entries()] : [], ([index, item]) =>
    lacks(`${path}[${index}].metadata`, isFields(item) ? item["metadata"] : undefined, ["name"]),
  );

const isTextList: Check = (path, value) =>
  Array.isArray(value)
    ? first([...value.entries()], ([index, item]) => isText(`${path}[${index}]`, item))
    : `${path} is ${nameOf(value)}, not a list`;

const parts: ReadonlyMap<string, Check> = new Map([
  ["labels", isTextMap],
  ["annotations", isTextMap],
  ["podSpec", withoutFields({ containers: "transform", initContainers: "initContainers", volumes: "volumes" })],
  ["container", withoutFields({ env: "env", ports: "ports", volumeMounts: "mounts" })],
  ["env", listOf("name")],
  ["ports", listOf("containerPort")],
  ["volumes", listOf("name")],
  ["mounts", listOf("name", "mountPath")],
  ["initContainers", listOf("name")],
  ["properties", isTextMap],
  ["warnings", isTextList],
  ["preResources", isObjectList],
  ["resources", isObjectList],
]);

function first<T>(items: readonly T[], objection: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const found = objection(item);
    if (found !== undefined) return found;
  }
  return undefined;
}
