import { isArray, isObject, type JsonObject } from "./json.ts";

/** What is longer than this as text is hardly the same in two objects, fields of managers excepted. */
const longestText = 256;
/** Characters of all texts that are remembered; beyond it, sharing begins anew. */
const rememberedCharacters = 4_000_000;

/** Takes an object, and gives one that says the same. Neither may be changed in place. */
export type Share = <T extends JsonObject>(object: T, previous?: JsonObject) => T;

/**
 * Objects of a cluster are alike: ten thousand executors have the same variables, volumes and conditions, and the same clients own
 * the same fields of them. What two objects have in common is kept once.
 *
 * @returns shares the parts of an object, those excepted that it has in common with its previous state anyway
 */
export function sharing(): Share {
  const known = new Map<string, unknown>();
  /** The text of what is shared; gone together, for objects live longer than anybody asks for it. */
  let texts = new WeakMap<object, string>();
  let characters = 0;

  function keep<T>(text: string, value: T & object): unknown {
    const first = known.get(text);
    if (first !== undefined) return first;
    characters += text.length;
    if (characters > rememberedCharacters) {
      known.clear();
      texts = new WeakMap();
      characters = text.length;
    }
    known.set(text, value);
    texts.set(value, text);
    return value;
  }

  /** A value whose parts are shared, and its text where that is short. */
  function shareValue(value: unknown): { readonly value: unknown; readonly text: string | undefined } {
    if (typeof value !== "object" || value === null)
      return { value, text: JSON.stringify(value) ?? "undefined" };
    const text = texts.get(value);
    if (text !== undefined) return { value, text };
    const shared = isArray(value) ? shareItems(value) : shareFields({ ...value });
    return shared.text === undefined || shared.text.length > longestText
      ? { value: shared.value, text: undefined }
      : { value: keep(shared.text, shared.value), text: shared.text };
  }

  function shareItems(items: readonly unknown[]) {
    const shared = items.map(shareValue);
    const isShort = shared.every(({ text }) => text !== undefined);
    return {
      value: shared.map(({ value }) => value),
      text: isShort ? ["[", shared.map(({ text }) => text).join(","), "]"].join("") : undefined,
    };
  }

  function shareFields(object: JsonObject) {
    const copy: [field: string, value: unknown][] = [];
    let parts: string[] | undefined = [];
    for (const [field, value] of Object.entries(object)) {
      const shared = field === "fieldsV1" ? shareWhole(value) : shareValue(value);
      copy.push([field, shared.value]);
      if (shared.text === undefined) parts = undefined;
      else parts?.push(`${JSON.stringify(field)}:${shared.text}`);
    }
    // Joined, for V8 keeps what is added piece by piece in pieces, each many times its length.
    const text = parts === undefined ? undefined : ["{", parts.join(","), "}"].join("");
    // Not by assignment: a field may be called __proto__.
    return { value: Object.fromEntries(copy), text };
  }

  /** Of any length, and without looking for parts. */
  function shareWhole(value: unknown): { readonly value: unknown; readonly text: string | undefined } {
    if (!isObject(value)) return { value, text: undefined };
    if (!texts.has(value)) return { value: keep(JSON.stringify(value), value), text: undefined };
    return { value, text: undefined };
  }

  return (object, previous) => {
    const shared = Object.entries(object).map(([field, value]) =>
      previous !== undefined && value === previous[field] ? [field, value] : [field, shareValue(value).value],
    );
    return { ...object, ...Object.fromEntries(shared) };
  };
}
