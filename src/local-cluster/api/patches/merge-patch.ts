import { ownMember } from "../../../values/own-member.ts";
import { isObject, type JsonObject, setField } from "../json.ts";

/**
 * Applies a JSON merge patch (RFC 7386): objects are merged, null removes, all else replaces. Loops instead of calling itself,
 * because a patch can be nested more deeply than JavaScript's stack.
 */
export function applyMergePatch(document: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const root = fieldsOf(document);
  const pending: { readonly result: Record<string, unknown>; readonly patch: JsonObject }[] = [{ result: root, patch }];
  for (let merge = pending.pop(); merge !== undefined; merge = pending.pop()) {
    const { result } = merge;
    for (const [name, value] of Object.entries(merge.patch)) {
      if (value === null) delete result[name];
      else if (!isObject(value)) setField(result, name, value);
      else {
        const inner = fieldsOf(ownMember(result, name));
        setField(result, name, inner);
        pending.push({ result: inner, patch: value });
      }
    }
  }
  return root;
}

function fieldsOf(document: unknown): Record<string, unknown> {
  return isObject(document) ? { ...document } : {};
}
