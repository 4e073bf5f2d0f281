import { isArray, isObject, type JsonObject } from "./json.ts";

/**
 * Maximum length of a part's JSON that is shared, in characters. Longer parts rarely occur twice; only managed fields are exempt.
 */
const maxTextLength = 256;
/** Total characters of the remembered texts; when they are exceeded, all texts are forgotten. */
const maxRememberedCharacters = 4_000_000;

/** Returns an equal object whose parts are shared with earlier objects. Neither may be changed in place. */
export type Share = <T extends JsonObject>(object: T, previous?: JsonObject) => T;

interface SharedValues {
  /** Shared values by their JSON. */
  readonly known: Map<string, unknown>;
  /** JSON of the shared values. Cleared with `known`, because objects outlive the texts. */
  texts: WeakMap<object, string>;
  /** Total length of the texts. */
  characters: number;
}

/** A shared value, and its JSON if that is short. */
interface SharedValue {
  readonly value: unknown;
  readonly text: string | undefined;
}

/**
 * Stores equal parts of objects once. Ten thousand executors have the same variables, volumes and conditions, and the same
 * clients own the same fields of them.
 *
 * @returns a function that shares the parts of an object, except those that it already shares with its previous state
 */
export function sharing(): Share {
  const shared: SharedValues = { known: new Map(), texts: new WeakMap(), characters: 0 };
  return (object, previous) => {
    const fields = Object.entries(object).map(([field, value]) =>
      previous !== undefined && value === previous[field] ? [field, value] : [field, shareValue(shared, value).value],
    );
    return { ...object, ...Object.fromEntries(fields) };
  };
}

/** Returns the first value with the same JSON. */
function shareText<T>(shared: SharedValues, text: string, value: T & object): unknown {
  const first = shared.known.get(text);
  if (first !== undefined) return first;
  shared.characters += text.length;
  if (shared.characters > maxRememberedCharacters) {
    shared.known.clear();
    shared.texts = new WeakMap();
    shared.characters = text.length;
  }
  shared.known.set(text, value);
  shared.texts.set(value, text);
  return value;
}

function shareValue(shared: SharedValues, value: unknown): SharedValue {
  if (typeof value !== "object" || value === null) return { value, text: JSON.stringify(value) ?? "undefined" };
  const text = shared.texts.get(value);
  if (text !== undefined) return { value, text };
  const parts = isArray(value) ? shareItems(shared, value) : shareFields(shared, { ...value });
  return parts.text === undefined || parts.text.length > maxTextLength
    ? { value: parts.value, text: undefined }
    : { value: shareText(shared, parts.text, parts.value), text: parts.text };
}

function shareItems(shared: SharedValues, items: readonly unknown[]) {
  const parts = items.map((item) => shareValue(shared, item));
  const isShort = parts.every(({ text }) => text !== undefined);
  return {
    value: parts.map(({ value }) => value),
    text: isShort ? ["[", parts.map(({ text }) => text).join(","), "]"].join("") : undefined,
  };
}

function shareFields(shared: SharedValues, object: JsonObject) {
  const copy: [field: string, value: unknown][] = [];
  let texts: string[] | undefined = [];
  for (const [field, value] of Object.entries(object)) {
    const part = field === "fieldsV1" ? shareUndivided(shared, value) : shareValue(shared, value);
    copy.push([field, part.value]);
    if (part.text === undefined) texts = undefined;
    else texts?.push(`${JSON.stringify(field)}:${part.text}`);
  }
  // V8 keeps concatenated strings as trees of pieces, many times their length. A joined string is flat.
  const text = texts === undefined ? undefined : ["{", texts.join(","), "}"].join("");
  // Assigning would not create a field called __proto__.
  return { value: Object.fromEntries(copy), text };
}

/** Shares a value of any length without sharing its parts. */
function shareUndivided(shared: SharedValues, value: unknown): SharedValue {
  const isShareable = isObject(value) && !shared.texts.has(value);
  return { value: isShareable ? shareText(shared, JSON.stringify(value), value) : value, text: undefined };
}
