import type { Clock } from "../../host/host.ts";
import type { CredentialSource, S3Credentials } from "./credentials.ts";

/** Credentials are fetched again when they expire within this time. */
const refreshMarginMs = 5 * 60_000;

/**
 * Caches the credentials of the first source that has some, until shortly before they expire.
 *
 * @param sourceNames names of the sources, for the message when none has credentials
 */
export function credentialChain(
  clock: Clock,
  sources: readonly CredentialSource[],
  sourceNames: string,
): () => Promise<S3Credentials> {
  let current: Promise<S3Credentials> | undefined;
  let refreshAtMs = Number.POSITIVE_INFINITY;
  const find = async () => {
    for (const source of sources) {
      const found = await source();
      if (found === undefined) continue;
      refreshAtMs = (found.expiresAtMs ?? Number.POSITIVE_INFINITY) - refreshMarginMs;
      return found;
    }
    throw new Error(`no credentials for S3 found in ${sourceNames}`);
  };
  return () => {
    if (current === undefined || clock.now() >= refreshAtMs) {
      refreshAtMs = Number.POSITIVE_INFINITY;
      current = find();
      current.catch(() => {
        current = undefined;
      });
    }
    return current;
  };
}
