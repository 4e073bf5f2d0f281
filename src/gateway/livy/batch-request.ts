import { type Fields, isFields } from "../../values/fields.ts";

/** A request for a batch, with the values that Livy's JSON reader would accept. Absent and null are the same. */
export interface BatchRequest {
  readonly file?: string;
  readonly className?: string;
  readonly name?: string;
  readonly proxyUser?: string;
  readonly driverMemory?: string;
  readonly executorMemory?: string;
  readonly queue?: string;
  readonly driverCores?: string;
  readonly executorCores?: string;
  readonly numExecutors?: string;
  readonly args: readonly string[];
  readonly jars: readonly string[];
  readonly pyFiles: readonly string[];
  readonly files: readonly string[];
  readonly archives: readonly string[];
  readonly conf: Readonly<Record<string, string>>;
}

/** A request, as far as its fields are valid, and sentences about all others. */
interface ParsedRequest {
  readonly request: BatchRequest;
  readonly problems: readonly string[];
}

const texts = [
  ...(["file", "className", "name", "proxyUser", "driverMemory", "executorMemory", "queue"] as const),
] as const;
const integers = ["driverCores", "executorCores", "numExecutors"] as const;
const lists = ["args", "jars", "pyFiles", "files", "archives"] as const;
const fields: readonly string[] = [...texts, ...integers, ...lists, "conf"];

/** Fields of interactive sessions, which a client could expect here. */
const sessionFields = new Set(["kind", "ttl", "heartbeatTimeoutInSecond", "idleTimeout"]);

/** Parses the JSON value of a request. Converts numbers and booleans to texts, as Livy does, and integers in texts. */
export function parseBatchRequest(body: Fields): ParsedRequest {
  const problems: string[] = [];
  const present = new Map(Object.entries(body).filter(([, value]) => value !== null));
  const unknown = [...present.keys()].filter((field) => !fields.includes(field));
  problems.push(...unknown.map(unknownProblem));
  const text = (field: string, value: unknown) => {
    const found = scalarText(value);
    if (found === undefined) problems.push(`${field} must be a string, but is ${kindOf(value)}.`);
    return found;
  };
  const list = (field: string): readonly string[] => {
    const value = present.get(field) ?? [];
    if (Array.isArray(value)) return value.flatMap((item, at) => text(`${field}[${at}]`, item) ?? []);
    problems.push(`${field} must be a list of strings, but is ${kindOf(value)}.`);
    return [];
  };
  const integer = (field: string) => {
    const value = present.get(field);
    const found = value === undefined ? undefined : integerText(value);
    if (value !== undefined && found === undefined)
      problems.push(`${field} must be an integer, but is ${shown(value)}.`);
    return found;
  };
  const request = {
    ...valuesOf(texts, (field) => (present.has(field) ? text(field, present.get(field)) : undefined)),
    ...valuesOf(integers, integer),
    args: list("args"),
    ...{ jars: list("jars"), pyFiles: list("pyFiles"), files: list("files"), archives: list("archives") },
    conf: confOf(present.get("conf") ?? {}, problems),
  };
  return { request, problems };
}

function unknownProblem(field: string): string {
  const reason = sessionFields.has(field) ? "belongs to interactive sessions, not to batches" : "is not known";
  return `The field ${JSON.stringify(field)} ${reason}.`;
}

function confOf(value: unknown, problems: string[]): Readonly<Record<string, string>> {
  if (!isFields(value)) {
    problems.push(`conf must be an object of strings, but is ${kindOf(value)}.`);
    return {};
  }
  const entries = Object.entries(value).filter(([, item]) => item !== null);
  return Object.fromEntries(
    entries.flatMap(([key, item]) => {
      const found = scalarText(item);
      if (found === undefined) problems.push(`conf[${JSON.stringify(key)}] must be a string, but is ${kindOf(item)}.`);
      return found === undefined ? [] : [[key, found]];
    }),
  );
}

/** Returns an object with the values that are defined. */
function valuesOf<F extends string>(
  names: readonly F[],
  value: (field: F) => string | undefined,
): Partial<Record<F, string>> {
  const found: Partial<Record<F, string>> = {};
  for (const name of names) {
    const text = value(name);
    if (text !== undefined) found[name] = text;
  }
  return found;
}

function scalarText(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "boolean" ? String(value) : undefined;
}

/** Largest integer of Livy's fields: 32 bits. */
const maxInteger = 2 ** 31 - 1;

function integerText(value: unknown): string | undefined {
  const number = typeof value === "string" && /^\s*[+-]?\d+\s*$/.test(value) ? Number(value) : value;
  return typeof number === "number" && Number.isInteger(number) && Math.abs(number) <= maxInteger
    ? String(number)
    : undefined;
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

/** Longest value that an error quotes. */
const maxShownLength = 40;

function shown(value: unknown): string {
  const scalar = scalarText(value);
  return scalar === undefined ? kindOf(value) : JSON.stringify(scalar.slice(0, maxShownLength));
}
