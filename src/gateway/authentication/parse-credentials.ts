/** Parses the user name and the password of a header `Authorization` (RFC 7617); `undefined` without them. */
export function parseCredentials(
  header: string | undefined,
): { readonly user: string; readonly password: string } | undefined {
  const [, encoded = ""] = /^\s*basic\s+([A-Za-z0-9+/=_-]+)\s*$/i.exec(header ?? "") ?? [];
  const text = Buffer.from(encoded, "base64").toString("utf8");
  const colon = text.indexOf(":");
  return colon < 1 ? undefined : { user: text.slice(0, colon), password: text.slice(colon + 1) };
}
