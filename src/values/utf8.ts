/** The text of bytes in UTF-8, a byte order mark included; `undefined` when they are something else. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** The same with U+FFFD for each part that cannot be decoded, as Java's `String` has it. */
export function decodeUtf8Leniently(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}
