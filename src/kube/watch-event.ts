import type { Status } from "./types.ts";

/** One line of a watch. */
export type WatchEvent<T> =
  | { readonly type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK"; readonly object: T }
  | { readonly type: "ERROR"; readonly object: Status };

/** Reads one line of a watch, e.g. `{"type":"ADDED","object":{…}}`; `undefined` when it is none. */
export function parseWatchEvent<T>(line: string): WatchEvent<T> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isWatchEvent<T>(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const types: readonly unknown[] = ["ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR"];

function isWatchEvent<T>(value: unknown): value is WatchEvent<T> {
  if (typeof value !== "object" || value === null || !("type" in value) || !("object" in value)) return false;
  return types.includes(value.type) && typeof value.object === "object" && value.object !== null;
}
