/**
 * Returns whether all texts are valid in lines of a head: visible characters, spaces, tabs and bytes beyond ASCII.
 *
 * Source: RFC 9110, 5.5.
 */
export function isHeaderText(texts: readonly string[]): boolean {
  // One test for all texts: each use of a regular expression costs more than a few characters.
  return !/[^\t\x20-\x7e\x80-\xff]/.test(texts.join(""));
}
