/**
 * Whether all these texts may stand in lines of a head: visible characters, blanks, and bytes beyond ASCII.
 *
 * Source: RFC 9110, 5.5.
 */
export function isHeaderText(texts: readonly string[]): boolean {
  // Once for all of them: each use of an expression costs more than a few characters.
  return !/[^\t\x20-\x7e\x80-\xff]/.test(texts.join(""));
}
