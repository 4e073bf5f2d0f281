import * as v from "valibot";

/** Text with a description. */
export function text(description: string) {
  return v.pipe(v.string(), v.description(description));
}

/** Text, or null if it is unknown. */
export function textOrNull(description: string) {
  return v.pipe(v.nullable(v.string()), v.description(description));
}

/** Whole number. */
export function count(description: string) {
  return v.pipe(v.number(), v.integer(), v.description(description));
}

/** Whole number, or null if it is unknown. */
export function countOrNull(description: string) {
  return v.pipe(v.nullable(v.pipe(v.number(), v.integer())), v.description(description));
}

/** True or false. */
export function flag(description: string) {
  return v.pipe(v.boolean(), v.description(description));
}

/** One of several texts. */
export function choice<const C extends readonly string[]>(choices: C, description: string) {
  return v.pipe(v.picklist(choices), v.description(description));
}

/** A time as in the API (RFC 3339), or null. */
export function timeOrNull(description: string) {
  return textOrNull(`${description} (RFC 3339)`);
}
