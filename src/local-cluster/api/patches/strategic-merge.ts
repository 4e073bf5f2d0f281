import { ownMember } from "../../../values/own-member.ts";
import { isArray, isObject, type JsonObject, setField, unshared } from "../json.ts";
import type { FieldType, StructType } from "../schema/schema.ts";
import { PatchError } from "./json-patch.ts";

const orderPrefix = "$setElementOrder/";
const removalPrefix = "$deleteFromPrimitiveList/";

/** An error in the directives of a patch. */
export class DirectiveError extends Error {}

/**
 * Applies a strategic merge patch, which merges keyed lists item by item.
 *
 * Directives: `$patch: replace | delete`, `$retainKeys`, `$setElementOrder/<list>`, `$deleteFromPrimitiveList/<list>`.
 *
 * @throws PatchError for invalid directives and items
 */
export function applyStrategicMerge(document: unknown, patch: JsonObject, type: StructType): JsonObject {
  return mergeObject(isObject(document) ? document : {}, patch, type);
}

function mergeObject(original: JsonObject, patch: JsonObject, type: FieldType | undefined): JsonObject {
  const directive = patch["$patch"];
  if (directive !== undefined) {
    const { $patch: _, ...rest } = patch;
    if (directive === "replace") return rest;
    if (directive === "delete") return {};
    throw unknownDirective(directive);
  }
  const result: Record<string, unknown> = { ...retained(original, patch) };
  const done = new Set<string>(["$retainKeys"]);
  for (const [key, order] of Object.entries(patch)) {
    if (!key.startsWith(orderPrefix)) continue;
    const name = key.slice(orderPrefix.length);
    done.add(key).add(name);
    const ordered = orderList(ownMember(result, name), {
      ...{ added: ownMember(patch, name), order, list: listOf(type, name) },
    });
    if (ordered !== undefined) setField(result, name, ordered);
  }
  for (const [key, value] of Object.entries(patch)) {
    if (done.has(key)) continue;
    if (key === removalPrefix.slice(0, -1)) throw new DirectiveError("invalid patch format of primitive list");
    if (key.startsWith(removalPrefix)) {
      const name = key.slice(removalPrefix.length);
      const items = isArray(value) ? value : [];
      const list = ownMember(result, name);
      if (isArray(list)) setField(result, name, withoutItems(list, items));
    } else if (value === null) delete result[key];
    else setField(result, key, mergeValue(ownMember(result, key), value, { type, key }));
  }
  return result;
}

/** Removes the fields that `$retainKeys` does not list. */
function retained(original: JsonObject, patch: JsonObject): JsonObject {
  const keys = patch["$retainKeys"];
  if (keys === undefined) return original;
  if (!isArray(keys)) throw new DirectiveError("invalid patch format of retainKeys");
  const names = new Set(keys);
  const added = Object.keys(patch).filter((name) => !name.startsWith("$") && patch[name] !== null);
  if (added.some((name) => !names.has(name))) throw new DirectiveError("invalid patch format of retainKeys");
  return Object.fromEntries(Object.entries(original).filter(([name]) => names.has(name)));
}

/** Removes scalars from a list of scalars. @throws PatchError for a list of objects */
function withoutItems(list: readonly unknown[], items: readonly unknown[]): readonly unknown[] {
  if ([...list, ...items].some((item) => typeof item === "object" && item !== null))
    throw new PatchError("list element types are not identical");
  const removed = new Set(items);
  return list.filter((item) => !removed.has(item));
}

function mergeValue(
  original: unknown,
  value: unknown,
  { type, key }: { type: FieldType | undefined; key: string },
): unknown {
  if (original === undefined || original === null) return plain(value);
  if (isObject(original) && isObject(value)) return mergeObject(original, value, fieldType(type, key));
  if (!isArray(original) || !isArray(value)) return plain(value);
  const list = listOf(type, key);
  return list === undefined ? value : mergeList(original, value, list);
}

/** A list that is merged item by item; `key` is empty for a list of scalars. */
interface MergedList {
  readonly key: string;
  readonly item: FieldType;
}

function listOf(type: FieldType | undefined, name: string): MergedList | undefined {
  const field = type?.kind === "struct" ? type.fields.get(name) : undefined;
  if (field?.mergeKey === undefined || field.type.kind !== "list") return undefined;
  return { key: field.mergeKey, item: field.type.item };
}

function fieldType(type: FieldType | undefined, name: string): FieldType | undefined {
  if (type?.kind === "map") return type.value;
  return type?.kind === "struct" ? type.fields.get(name)?.type : undefined;
}

/**
 * Returns what identifies an item in a list: its key, or a scalar itself.
 *
 * @throws PatchError if that is an array or object
 */
function identityOf(item: unknown, key: string): string {
  const identity = key === "" || !isObject(item) ? item : item[key];
  if (typeof identity === "object" && identity !== null) throw new PatchError("list element types do not match");
  return JSON.stringify(identity) ?? "";
}

/** Returns the index of the first item with each identity. */
function indexesOf(items: readonly unknown[], key: string): Map<string, number> {
  const indexes = new Map<string, number>();
  for (const [index, item] of items.entries()) {
    const identity = identityOf(item, key);
    if (!indexes.has(identity)) indexes.set(identity, index);
  }
  return indexes;
}

function mergeList(original: readonly unknown[], patch: readonly unknown[], list: MergedList): readonly unknown[] {
  const { key } = list;
  if (key === "") return inOrder({ items: [...new Set([...original, ...patch])], order: patch, server: original, key });
  const { kept, added, isReplaced } = applyDirectives(original, patch, key);
  if (isReplaced) return added;
  const merged = [...kept];
  const indexes = indexesOf(merged, key);
  for (const item of added) {
    const identity = identityOf(item, key);
    const index = indexes.get(identity);
    if (index !== undefined) merged[index] = mergeItem(merged[index], item, list.item);
    else {
      indexes.set(identity, merged.length);
      merged.push(plain(item));
    }
  }
  return inOrder({ items: merged, order: added, server: original, key });
}

function mergeItem(original: unknown, item: unknown, type: FieldType): unknown {
  return isObject(original) && isObject(item) ? mergeObject(original, item, type) : item;
}

/** Applies the directives in a list's patch: deleted items, or replacement of the entire list. */
function applyDirectives(original: readonly unknown[], patch: readonly unknown[], key: string) {
  const deleted = new Set<string>();
  let isReplaced = false;
  const added: unknown[] = [];
  for (const item of patch) {
    if (!isObject(item)) throw new PatchError("list element types do not match");
    const directive = item["$patch"];
    if (directive === "replace") isReplaced = true;
    else if (directive !== undefined && directive !== "delete" && directive !== "merge") {
      throw unknownDirective(directive);
    } else if (item[key] === undefined) {
      throw new PatchError(`an item does not contain the declared merge key: ${key}`);
    } else if (directive === "delete") deleted.add(identityOf(item, key));
    else added.push(item);
  }
  return { kept: original.filter((item) => !deleted.has(identityOf(item, key))), added, isReplaced };
}

function unknownDirective(directive: unknown): PatchError {
  return new PatchError(`Unknown $patch type: ${typeof directive === "string" ? directive : typeof directive}`);
}

interface Ordering {
  readonly items: readonly unknown[];
  /** Items that the patch contains, in its order. */
  readonly order: readonly unknown[];
  /** The previous items of the server. */
  readonly server: readonly unknown[];
  /** Name of the field that identifies an item; empty for scalars. */
  readonly key: string;
}

/**
 * Orders merged items: those of the patch keep its order; each other item precedes the first of them that followed it on the
 * server.
 */
function inOrder({ items, order, server, key }: Ordering): readonly unknown[] {
  const rankIn = (all: readonly unknown[]) => {
    const indexes = indexesOf(all, key);
    return (item: unknown) => indexes.get(identityOf(item, key)) ?? -1;
  };
  const [rankInPatch, rankOnServer] = [rankIn(order), rankIn(server)];
  const named = items.filter((item) => rankInPatch(item) >= 0).sort((a, b) => rankInPatch(a) - rankInPatch(b));
  const others = items.filter((item) => rankInPatch(item) < 0).sort((a, b) => rankOnServer(a) - rankOnServer(b));
  const result: unknown[] = [];
  let left = 0;
  let right = 0;
  while (left < others.length && right < named.length) {
    const [a, b] = [rankOnServer(others[left]), rankOnServer(named[right])];
    if (a >= 0 && b >= 0 && a < b) result.push(others[left++]);
    else result.push(named[right++]);
  }
  return [...result, ...others.slice(left), ...named.slice(right)];
}

/** Merges a list and applies `$setElementOrder`. */
function orderList(
  original: unknown,
  { added, order, list }: { added: unknown; order: unknown; list: MergedList | undefined },
): readonly unknown[] | undefined {
  if (list === undefined || !isArray(order)) return undefined;
  const server = isArray(original) ? original : [];
  const items = isArray(added) ? mergeList(server, added, list) : server;
  if (items.length === 0) return undefined;
  return inOrder({ items, order, server, key: list.key });
}

/** Returns a value that is merged into nothing: without nulls and directives. */
function plain(value: unknown): unknown {
  return unshared(value, {
    items: (list) => list.filter((item) => !isObject(item) || item["$patch"] !== "delete"),
    fields: (object) => Object.fromEntries(Object.entries(object).filter(isPlainField)),
  });
}

function isPlainField([name, content]: readonly [string, unknown]): boolean {
  return content !== null && !/^\$(patch|retainKeys|setElementOrder\/|deleteFromPrimitiveList\/)/.test(name);
}
