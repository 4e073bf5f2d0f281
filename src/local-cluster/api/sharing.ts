import { isArray, isObject, type JsonObject } from "./json.ts";

/**
 * Maximum length of a part's JSON that is shared, in characters. Longer parts rarely occur twice; only managed fields are exempt.
 */
const maxTextLength = 256;
/** Total characters of the remembered texts; when they are exceeded, all texts are forgotten. */
const maxRememberedCharacters = 4_000_000;

/** Returns an equal object whose parts are shared with earlier objects. Neither may be changed in place. */
export type Share = <T extends JsonObject>(object: T, previous?: JsonObject) => T;

/**
 * Stores equal parts of objects once. Ten thousand executors have the same variables, volumes and conditions, and the same
 * clients own the same fields of them.
 *
 * @returns a function that shares the parts of an object, except those that it already shares with its previous state
 */
export function sharing(): Share {
  const known = new Map<string, unknown>();
  /** The JSON of shared values. Cleared with `known`, because objects outlive the texts. */
  let texts = new WeakMap<object, string>();
  let characters = 0;

  function keep<T>(text: string, value: T & object): unknown {
    const first = known.get(text);
    if (first !== undefined) return first;
    characters += text.length;
    if (characters > maxRememberedCharacters) {
      known.clear();
      texts = new WeakMap();
      characters = text.length;
    }
    known.set(text, value);
    texts.set(value, text);
    return value;
  }

  /** Shares the parts of a value; returns its JSON too if that is short. */
  function shareValue(value: unknown): { readonly value: unknown; readonly text: string | undefined } {
    if (typeof value !== "object" || value === null)
      return { value, text: JSON.stringify(value) ?? "undefined" };
    const text = texts.get(value);
    if (text !== undefined) return { value, text };
    const shared = isArray(value) ? shareItems(value) : shareFields({ ...value });
    return shared.text === undefined || shared.text.length > maxTextLength
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
      const shared = field === "fieldsV1" ? shareUndivided(value) : shareValue(value);
      copy.push([field, shared.value]);
      if (shared.text === undefined) parts = undefined;
      else parts?.push(`${JSON.stringify(field)}:${shared.text}`);
    }
    // V8 keeps concatenated strings as trees of pieces, many times their length. A joined string is flat.
    const text = parts === undefined ? undefined : ["{", parts.join(","), "}"].join("");
    // Assigning would not create a field called __proto__.
    return { value: Object.fromEntries(copy), text };
  }

  /** Shares a value of any length without sharing its parts. */
  function shareUndivided(value: unknown): { readonly value: unknown; readonly text: string | undefined } {
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
