/**
 * Character tests without regular expressions: compiling one at the start of a program takes longer than a short loop.
 */

/** Character ranges, of which sets are composed. */
export const digits = "0123456789";
export const lowerLetters = "abcdefghijklmnopqrstuvwxyz";
export const letters = `${lowerLetters}ABCDEFGHIJKLMNOPQRSTUVWXYZ`;

/** Whether a text consists only of characters of a set. */
export function isMadeOf(text: string, set: string): boolean {
  for (const character of text) if (!set.includes(character)) return false;
  return true;
}

/** Splits a text after its leading digits: `512m` into `512` and `m`. The number may be empty. */
export function splitNumber(text: string): { readonly number: string; readonly rest: string } {
  let end = 0;
  while (end < text.length && digits.includes(text.charAt(end))) end += 1;
  return { number: text.slice(0, end), rest: text.slice(end) };
}
