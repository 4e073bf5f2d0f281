import { errors, jwtVerify } from "jose";
import type { Clock } from "../../host/host.ts";
import type { Issuer } from "./issuer.ts";
import type { OidcSettings } from "./oidc-settings.ts";
import type { Claims } from "./principal-of-claims.ts";

interface VerifyCall {
  readonly clock: Pick<Clock, "now">;
  readonly settings: Pick<OidcSettings, "audiences">;
  readonly issuer: () => Promise<Issuer>;
}

/** Signatures by a private key of the issuer: with the others, everyone who can verify a token can create one. */
const algorithms = [
  ...["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA", "Ed25519"],
];
const maxClockDifferenceSeconds = 30;

/** Errors of a token; others are failures to verify it. */
const invalidToken: ReadonlySet<string> = new Set([
  ...[errors.JWTExpired.code, errors.JWTClaimValidationFailed.code, errors.JWTInvalid.code, errors.JWSInvalid.code],
  ...[errors.JWSSignatureVerificationFailed.code, errors.JOSEAlgNotAllowed.code, errors.JOSENotSupported.code],
  ...[errors.JWKSNoMatchingKey.code, errors.JWKSMultipleMatchingKeys.code],
]);

/** The claims of a token, or why it is not valid. */
export type VerifiedToken =
  | { readonly ok: true; readonly claims: Claims }
  | { readonly ok: false; readonly reason: string };

/** Verifies a token of the issuer: a JWT with a signature, `iss`, `aud` and `exp`. Rejects if it cannot be verified now. */
export async function verifyBearer({ clock, settings, issuer }: VerifyCall, token: string): Promise<VerifiedToken> {
  const { keys, configuration } = await issuer();
  // As the issuer writes it, for example with a slash at its end.
  const { issuer: name } = configuration.serverMetadata();
  try {
    const { payload } = await jwtVerify(token, keys, {
      ...{ issuer: name, audience: [...settings.audiences], algorithms, requiredClaims: ["exp"] },
      ...{ clockTolerance: maxClockDifferenceSeconds, currentDate: new Date(clock.now()) },
    });
    return { ok: true, claims: payload };
  } catch (error) {
    if (error instanceof errors.JOSEError && invalidToken.has(error.code)) return { ok: false, reason: error.message };
    throw error;
  }
}
