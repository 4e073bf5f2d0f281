import type { KeptChange, KeptObject } from "../api/journal.ts";
import { isArray, isObject, type JsonObject } from "../api/json.ts";
import { serialized } from "../api/serialized.ts";
import type { StoredObject, StoreEvent } from "../api/store.ts";

/** What a record of a journal or a snapshot says. */
export type Entry =
  | { readonly is: "head"; readonly version: number; readonly revision: number }
  /** Changes that were made as one. */
  | { readonly is: "changes"; readonly changes: readonly KeptChange[] }
  | ({ readonly is: "object" } & KeptObject)
  /** The last one of a snapshot. */
  | { readonly is: "end"; readonly count: number };

/** The form of files that this program writes, and the only one that it reads. */
export const formatVersion = 1;

/** The first record of a file. @param revision of the objects in a snapshot; else 0 */
export function printHead(revision: number): string {
  return JSON.stringify({ firesteel: formatVersion, revision });
}

/** One record for changes that were made as one. */
export function printChanges(events: readonly StoreEvent[]): string {
  return `{"changes":[${events.map(printChange).join(",")}]}`;
}

function printChange({ type, collection, object, revision }: StoreEvent): string {
  const place = `"revision":${revision},"collection":${JSON.stringify(collection)}`;
  if (type !== "DELETED") return `{${place},"object":${serialized(object)}}`;
  const { namespace, name } = object.metadata;
  return `{${place},${JSON.stringify({ namespace, name }).slice(1, -1)}}`;
}

/** One record of a snapshot. */
export function printObject({ collection, object }: KeptObject): string {
  return JSON.stringify({ collection, object });
}

export function printEnd(count: number): string {
  return JSON.stringify({ end: count });
}

/** Reads a record's text; `undefined` for what no version of ours writes. */
export function parseEntry(json: string): Entry | undefined {
  const value: unknown = JSON.parse(json);
  if (!isObject(value)) return undefined;
  const { firesteel, revision, changes, end } = value;
  if (typeof firesteel === "number")
    return { is: "head", version: firesteel, revision: typeof revision === "number" ? revision : 0 };
  if (isArray(changes)) return { is: "changes", changes: changes.flatMap(parseChange) };
  if (typeof end === "number") return { is: "end", count: end };
  const kept = parseObject(value);
  return kept === undefined ? undefined : { is: "object", ...kept };
}

function parseChange(value: unknown): KeptChange[] {
  if (!isObject(value)) return [];
  const { revision, collection, namespace, name } = value;
  if (typeof revision !== "number" || typeof collection !== "string") return [];
  const kept = parseObject(value);
  if (kept !== undefined) return [{ ...kept, revision }];
  if (typeof name !== "string") return [];
  const place = { name, namespace: typeof namespace === "string" ? namespace : undefined };
  return [{ collection, revision, object: undefined, ...place }];
}

function parseObject({ collection, object }: JsonObject): KeptObject | undefined {
  if (typeof collection !== "string" || !isStored(object)) return undefined;
  return { collection, object };
}

function isStored(value: unknown): value is StoredObject {
  return isObject(value) && isObject(value["metadata"]) && typeof value["metadata"]["name"] === "string";
}
