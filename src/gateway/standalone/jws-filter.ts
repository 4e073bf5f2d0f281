import { createHmac, timingSafeEqual } from "node:crypto";
import { isFields } from "../../values/fields.ts";

/** Key of JSON web tokens, and the present time. */
export interface TokenCheck {
  readonly key: Uint8Array;
  /** Time in ms since 1970. */
  readonly nowMs: number;
}

/** HMAC algorithms by name, with the minimum size of their key. */
const algorithms: ReadonlyMap<unknown, readonly [hash: string, minKeyBytes: number]> = new Map([
  ["HS256", ["sha256", 32]],
  ["HS384", ["sha384", 48]],
  ["HS512", ["sha512", 64]],
]);

/**
 * Checks the header `Authorization` as Spark's `org.apache.spark.ui.JWSFilter` does.
 *
 * @returns the reason of a rejection, as Spark phrases it
 */
export function checkAuthorization(header: string | undefined, check: TokenCheck): string | undefined {
  if (header === undefined) return "Authorization header is missing.";
  const token = /^Bearer (.*)$/is.exec(header)?.[1];
  if (token === undefined) return "Malformed Authorization header.";
  return isValidToken(token, check) ? undefined : "JWT Validate Fail";
}

function isValidToken(token: string, { key, nowMs }: TokenCheck): boolean {
  const [header = "", payload = "", signature = "", ...more] = token.trim().split(".");
  const { alg, crit, zip } = parsePart(header) ?? {};
  const [hash, minBytes = 0] = algorithms.get(alg) ?? [];
  if (more.length > 0 || crit !== undefined || zip !== undefined || hash === undefined || key.length < minBytes)
    return false;
  const expected = createHmac(hash, key).update(`${header}.${payload}`).digest();
  const actual = Buffer.from(signature, "base64url");
  if (actual.length !== expected.length || !timingSafeEqual(actual, expected)) return false;
  const claims = parsePart(payload);
  return claims !== undefined && isInTime(claims["exp"], nowMs, 1) && isInTime(claims["nbf"], nowMs, -1);
}

/** Whether a time in seconds is absent, or ahead (sign 1) or past (sign -1). */
function isInTime(seconds: unknown, nowMs: number, sign: 1 | -1): boolean {
  if (seconds === undefined) return true;
  return typeof seconds === "number" && sign * (seconds * 1000 - nowMs) >= 0;
}

function parsePart(part: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, "base64url").toString("utf8"));
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
