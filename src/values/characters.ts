/**
 * Characters by looking at them one after the other: a regular expression is compiled at each start of a program, which costs a
 * submission more than to use it.
 */

/** Ranges that sets of characters are made of. */
export const digits = "0123456789";
export const lowerLetters = "abcdefghijklmnopqrstuvwxyz";
export const letters = `${lowerLetters}ABCDEFGHIJKLMNOPQRSTUVWXYZ`;

/** Whether all characters of a text, if it has any, are among those of a set. */
export function isMadeOf(text: string, set: string): boolean {
  for (const character of text) if (!set.includes(character)) return false;
  return true;
}

/** A whole number with what follows it: `512m` is `512` and `m`; the number is empty where the text begins otherwise. */
export function splitNumber(text: string): { readonly number: string; readonly rest: string } {
  let end = 0;
  while (end < text.length && digits.includes(text.charAt(end))) end += 1;
  return { number: text.slice(0, end), rest: text.slice(end) };
}
