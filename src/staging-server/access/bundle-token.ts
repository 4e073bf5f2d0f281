import { createHmac, timingSafeEqual } from "node:crypto";
import * as v from "valibot";
import { parseJson } from "../store/bundle-record.ts";
import type { SigningKey, SigningKeys } from "../store/signing-keys.ts";

/** Claims of a token: its bearer may read this bundle until the expiry time. */
export interface TokenClaims {
  readonly bundle: string;
  readonly ns: string;
  /** Seconds since 1970. */
  readonly exp: number;
  readonly jti: string;
}

const claimsShape = v.object({
  kid: v.string(),
  bundle: v.string(),
  scope: v.literal("read"),
  ns: v.string(),
  exp: v.number(),
  jti: v.string(),
});

/** `base64url(JSON).base64url(HMAC-SHA256 of the first part)`. */
export function signToken({ kid, secret }: SigningKey, { bundle, ns, exp, jti }: TokenClaims): string {
  const payload = Buffer.from(JSON.stringify({ kid, bundle, scope: "read", ns, exp, jti })).toString(
    "base64url",
  );
  return `${payload}.${sign(secret, payload).toString("base64url")}`;
}

const noSecret = new Uint8Array(32);

/** Parses a token that is signed by one of the keys and has not expired; otherwise returns `undefined`. */
export function verifyToken(keys: SigningKeys, token: string, nowMs: number): TokenClaims | undefined {
  const [, payload = "", signature = ""] = /^([\w-]+)\.([\w-]{43})$/.exec(token) ?? [];
  const claims = v.safeParse(claimsShape, parseJson(Buffer.from(payload, "base64url").toString("utf8")));
  const key = claims.success ? keys.find(claims.output.kid) : undefined;
  const isSigned = isSame(sign(key?.secret ?? noSecret, payload), Buffer.from(signature, "base64url"));
  // The last character of a signature has bits to spare: only one way to write it counts.
  const isCanonical = Buffer.from(signature, "base64url").toString("base64url") === signature;
  if (key === undefined || !claims.success || !isSigned || !isCanonical) return undefined;
  return claims.output.exp * 1000 > nowMs ? claims.output : undefined;
}

/** Whether two texts of the same length are the same, in a time that tells nothing. */
export function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}

function sign(secret: Uint8Array, payload: string): Buffer {
  return createHmac("sha256", secret).update(payload).digest();
}
