/** Decodes UTF-8 and keeps a byte order mark. Returns `undefined` for invalid bytes. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Decodes UTF-8 and replaces each invalid part by U+FFFD, as Java's `String` does. */
export function decodeUtf8Leniently(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}
