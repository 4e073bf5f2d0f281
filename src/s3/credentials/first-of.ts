import type { Clock } from "../../host/host.ts";
import type { CredentialSource, S3Credentials } from "./credentials.ts";

/** Credentials that are about to end are fetched anew. */
const beforeEndMs = 5 * 60_000;

/**
 * The credentials of the first source that has some; kept until they are about to end.
 *
 * @param asked what was looked at, for the message when there are none
 */
export function firstOf(
  clock: Clock,
  sources: readonly CredentialSource[],
  asked: string,
): () => Promise<S3Credentials> {
  let known: Promise<S3Credentials> | undefined;
  let endsAtMs = Number.POSITIVE_INFINITY;
  const find = async () => {
    for (const source of sources) {
      const found = await source();
      if (found === undefined) continue;
      endsAtMs = (found.expiresAtMs ?? Number.POSITIVE_INFINITY) - beforeEndMs;
      return found;
    }
    throw new Error(`there are no credentials for S3: looked for them in ${asked}`);
  };
  return () => {
    if (known === undefined || clock.now() >= endsAtMs) {
      endsAtMs = Number.POSITIVE_INFINITY;
      known = find();
      known.catch(() => {
        known = undefined;
      });
    }
    return known;
  };
}
