/** Content of a file with Hadoop's delegation tokens, as far as it matters for forwarding the file. */
type TokenStorage =
  | { readonly kind: "tokens" }
  | { readonly kind: "empty" }
  | { readonly kind: "unreadable"; readonly reason: string };

const header = "HDTS";

/**
 * Reads the header of a token file: `HDTS`, a version, and the number of tokens.
 *
 * Source: Hadoop Credentials.readTokenStorageStream; version 0 is a Writable, version 1 a protocol buffer.
 */
export function inspectTokenStorage(bytes: Uint8Array): TokenStorage {
  const start = Buffer.from(bytes.subarray(0, header.length)).toString("latin1");
  const [version, first, second] = bytes.subarray(header.length);
  if (start.length < header.length || version === undefined || first === undefined) {
    return { kind: "unreadable", reason: "it ends too early" };
  }
  if (start !== header) return { kind: "unreadable", reason: "Bad header found in token storage." };
  switch (version) {
    case 0:
      return { kind: first === 0 && (second ?? 0) === 0 ? "empty" : "tokens" };
    case 1:
      return { kind: first === 0 ? "empty" : "tokens" };
    default:
      return { kind: "unreadable", reason: `Unknown version ${version} in token storage.` };
  }
}
