import type { KeptChange, KeptObject } from "../api/journal.ts";
import { isArray, isObject, type JsonObject } from "../api/json.ts";
import { serialized } from "../api/serialized.ts";
import type { StoredObject, StoreEvent } from "../api/store.ts";

/** Parsed record of a journal or a snapshot. */
export type Entry =
  | { readonly is: "head"; readonly version: number; readonly revision: number }
  /** Changes of one transaction. */
  | { readonly is: "changes"; readonly changes: readonly KeptChange[] }
  | ({ readonly is: "object" } & KeptObject)
  /** The last record of a snapshot. */
  | { readonly is: "end"; readonly count: number };

/** The only file format version that is written and read. */
export const formatVersion = 1;

/** Prints the first record of a file. @param revision of the objects in a snapshot; else 0 */
export function printHead(revision: number): string {
  return JSON.stringify({ firesteel: formatVersion, revision });
}

/** Prints one record for the changes of a transaction. */
export function printChanges(events: readonly StoreEvent[]): string {
  return `{"changes":[${events.map(printChange).join(",")}]}`;
}

function printChange({ type, collection, object, revision }: StoreEvent): string {
  const position = `"revision":${revision},"collection":${JSON.stringify(collection)}`;
  if (type !== "DELETED") return `{${position},"object":${serialized(object)}}`;
  const { namespace, name } = object.metadata;
  return `{${position},${JSON.stringify({ namespace, name }).slice(1, -1)}}`;
}

/** Prints one record of a snapshot. */
export function printObject({ collection, object }: KeptObject): string {
  return JSON.stringify({ collection, object });
}

export function printEnd(count: number): string {
  return JSON.stringify({ end: count });
}

/** Parses a record; returns `undefined` if no Firesteel version writes it. */
export function parseEntry(json: string): Entry | undefined {
  const value = parseJson(json);
  if (!isObject(value)) return undefined;
  const { firesteel, revision, changes, end } = value;
  if (typeof firesteel === "number")
    return { is: "head", version: firesteel, revision: typeof revision === "number" ? revision : 0 };
  if (isArray(changes)) return { is: "changes", changes: changes.flatMap(parseChange) };
  if (typeof end === "number") return { is: "end", count: end };
  const kept = parseObject(value);
  return kept === undefined ? undefined : { is: "object", ...kept };
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

function parseChange(value: unknown): KeptChange[] {
  if (!isObject(value)) return [];
  const { revision, collection, namespace, name } = value;
  if (typeof revision !== "number" || typeof collection !== "string") return [];
  const kept = parseObject(value);
  if (kept !== undefined) return [{ ...kept, revision }];
  if (typeof name !== "string") return [];
  const location = { name, namespace: typeof namespace === "string" ? namespace : undefined };
  return [{ collection, revision, object: undefined, ...location }];
}

function parseObject({ collection, object }: JsonObject): KeptObject | undefined {
  if (typeof collection !== "string" || !isStored(object)) return undefined;
  return { collection, object };
}

function isStored(value: unknown): value is StoredObject {
  return isObject(value) && isObject(value["metadata"]) && typeof value["metadata"]["name"] === "string";
}
