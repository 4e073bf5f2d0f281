/** Builds the value of an `Authorization` header for a user. Source: RFC 7617, in UTF-8. */
export function basicAuthorization(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
}
