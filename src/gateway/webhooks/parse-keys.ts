const keyPattern = /^whsec_([A-Za-z0-9+/]+={0,2})$/;

/**
 * Parses the keys of a webhook, separated by white space: `whsec_` and 24 to 64 bytes as Base64. Returns `undefined` if a key
 * is invalid or there is none.
 *
 * Source: Standard Webhooks, "Signature scheme".
 */
export function parseKeys(text: string): readonly Uint8Array[] | undefined {
  const keys: Uint8Array[] = [];
  for (const part of text.split(/\s+/).filter((each) => each !== "")) {
    const key = Buffer.from(keyPattern.exec(part)?.[1] ?? "", "base64");
    if (key.length < 24 || key.length > 64) return undefined;
    keys.push(key);
  }
  return keys.length === 0 ? undefined : keys;
}
