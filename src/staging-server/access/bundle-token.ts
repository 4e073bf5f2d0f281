import { createHmac, timingSafeEqual } from "node:crypto";
import * as v from "valibot";
import { parseJson } from "../store/bundle-record.ts";
import type { SigningKey, SigningKeys } from "../store/signing-keys.ts";

/** Claims of a token. The bearer may read the bundle until the token expires. */
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

/** Signs claims. Returns `base64url(JSON).base64url(HMAC-SHA256 of the first part)`. */
export function signToken({ kid, secret }: SigningKey, { bundle, ns, exp, jti }: TokenClaims): string {
  const payload = Buffer.from(JSON.stringify({ kid, bundle, scope: "read", ns, exp, jti })).toString("base64url");
  return `${payload}.${sign(secret, payload).toString("base64url")}`;
}

/** Placeholder for the secret of an unknown key, so that verification takes the same time. */
const noSecret = new Uint8Array(32);

/** Parses a token that is signed by one of the keys and has not expired; otherwise returns `undefined`. */
export function verifyToken(keys: SigningKeys, token: string, nowMs: number): TokenClaims | undefined {
  const [, payload = "", signature = ""] = /^([\w-]+)\.([\w-]{43})$/.exec(token) ?? [];
  const claims = v.safeParse(claimsShape, parseJson(Buffer.from(payload, "base64url").toString("utf8")));
  const key = claims.success ? keys.find(claims.output.kid) : undefined;
  const isSigned = equalsInConstantTime(sign(key?.secret ?? noSecret, payload), Buffer.from(signature, "base64url"));
  // The last character of a signature has unused bits. Accept only the canonical encoding.
  const isCanonical = Buffer.from(signature, "base64url").toString("base64url") === signature;
  if (key === undefined || !claims.success || !isSigned || !isCanonical) return undefined;
  return claims.output.exp * 1000 > nowMs ? claims.output : undefined;
}

/** Compares two values in constant time, if their lengths are equal. */
export function equalsInConstantTime(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}

function sign(secret: Uint8Array, payload: string): Buffer {
  return createHmac("sha256", secret).update(payload).digest();
}
