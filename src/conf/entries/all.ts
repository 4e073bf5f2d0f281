import type { ConfEntry, PrefixEntry } from "../entry.ts";
import { declaredEntries, isEntry } from "./topics.ts";

/** All known settings, sorted by key. */
export const allEntries: readonly ConfEntry<unknown>[] = declaredEntries()
  .filter(isEntry)
  .sort((a, b) => (a.key < b.key ? -1 : 1));

/** All known families of settings, sorted by prefix. */
export const allPrefixEntries: readonly PrefixEntry[] = declaredEntries()
  .flatMap((declared) => (isEntry(declared) ? [] : [declared]))
  .sort((a, b) => (a.prefix < b.prefix ? -1 : 1));
