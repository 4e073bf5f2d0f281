import { isArray, isObject, isSame, type JsonObject, setField, unshared } from "../json.ts";
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
    throw new PatchError(`Unknown $patch type: ${JSON.stringify(directive)}`);
  }
  const result: Record<string, unknown> = { ...retained(original, patch) };
  const done = new Set<string>(["$retainKeys"]);
  for (const [key, order] of Object.entries(patch)) {
    if (!key.startsWith(orderPrefix)) continue;
    const name = key.slice(orderPrefix.length);
    done.add(key).add(name);
    const ordered = orderList(result[name], { added: patch[name], order, list: listOf(type, name) });
    if (ordered !== undefined) setField(result, name, ordered);
  }
  for (const [key, value] of Object.entries(patch)) {
    if (done.has(key)) continue;
    if (key === removalPrefix.slice(0, -1)) throw new DirectiveError("invalid patch format of primitive list");
    if (key.startsWith(removalPrefix)) {
      const name = key.slice(removalPrefix.length);
      const items = isArray(value) ? value : [];
      if (isArray(result[name])) result[name] = result[name].filter((item) => !items.includes(item));
    } else if (value === null) delete result[key];
    else setField(result, key, mergeValue(result[key], value, { type, key }));
  }
  return result;
}

/** Removes the fields that `$retainKeys` does not list. */
function retained(original: JsonObject, patch: JsonObject): JsonObject {
  const keys = patch["$retainKeys"];
  if (!isArray(keys)) return original;
  return Object.fromEntries(Object.entries(original).filter(([name]) => keys.includes(name)));
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

function mergeList(original: readonly unknown[], patch: readonly unknown[], list: MergedList): readonly unknown[] {
  if (list.key === "")
    return inOrder({ items: [...new Set([...original, ...patch])], order: patch, server: original, list });
  const { kept, added, isReplaced } = applyDirectives(original, patch, list.key);
  if (isReplaced) return added;
  const merged = [...kept];
  for (const item of added) {
    const index = indexOf(merged, item, list);
    if (index < 0) merged.push(plain(item));
    else merged[index] = mergeItem(merged[index], item, list.item);
  }
  return inOrder({ items: merged, order: added, server: original, list });
}

function mergeItem(original: unknown, item: unknown, type: FieldType): unknown {
  return isObject(original) && isObject(item) ? mergeObject(original, item, type) : item;
}

/** Applies the directives in a list's patch: deleted items, or replacement of the entire list. */
function applyDirectives(original: readonly unknown[], patch: readonly unknown[], key: string) {
  let kept = original;
  let isReplaced = false;
  const added: unknown[] = [];
  for (const item of patch) {
    if (!isObject(item)) throw new PatchError("list element types do not match");
    const directive = item["$patch"];
    if (directive === "replace") isReplaced = true;
    else if (directive !== undefined && directive !== "delete" && directive !== "merge") {
      throw new PatchError(`Unknown $patch type: ${JSON.stringify(directive)}`);
    } else if (item[key] === undefined) {
      throw new PatchError(`map: ${JSON.stringify(item)} does not contain declared merge key: ${key}`);
    } else if (directive === "delete") {
      kept = kept.filter((other) => !isObject(other) || !isSame(other[key], item[key]));
    } else added.push(item);
  }
  return { kept, added, isReplaced };
}

function indexOf(items: readonly unknown[], item: unknown, { key }: Pick<MergedList, "key">): number {
  return items.findIndex((other) => {
    if (key === "") return isSame(other, item);
    return isObject(other) && isObject(item) && isSame(other[key], item[key]);
  });
}

interface Ordering {
  readonly items: readonly unknown[];
  /** Items that the patch contains, in its order. */
  readonly order: readonly unknown[];
  /** The previous items of the server. */
  readonly server: readonly unknown[];
  readonly list: Pick<MergedList, "key">;
}

/**
 * Orders merged items: those of the patch keep its order; each other item precedes the first of them that followed it on the
 * server.
 */
function inOrder({ items, order, server, list }: Ordering): readonly unknown[] {
  const rank = (item: unknown, all: readonly unknown[]) => indexOf(all, item, list);
  const named = items.filter((item) => rank(item, order) >= 0).sort((a, b) => rank(a, order) - rank(b, order));
  const others = items.filter((item) => rank(item, order) < 0).sort((a, b) => rank(a, server) - rank(b, server));
  const result: unknown[] = [];
  let left = 0;
  let right = 0;
  while (left < others.length && right < named.length) {
    const [a, b] = [rank(others[left], server), rank(named[right], server)];
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
  return inOrder({ items, order, server, list });
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
