// RFC 9110, 5.5: visible characters, spaces and tabs.
const headerText = /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/;

/** Returns whether HTTP allows a token in a header. */
export function isTokenText(text: string): boolean {
  return headerText.test(text);
}
