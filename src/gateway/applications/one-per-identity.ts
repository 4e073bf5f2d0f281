import type { NewApplication, SubmitResult } from "../model/applications.ts";

/** Accepts an application, or says why it does not. */
export type Accept = (application: NewApplication) => Promise<SubmitResult>;

/**
 * Runs requests with a common identity one after the other, so that the later ones find what the first one has stored. If the first one
 * finds the API unavailable, so do those that wait for it: each would wait longer than the one before, while clients send more of them.
 */
export function onePerIdentity(accept: Accept): Accept {
  const pending = new Map<string, Promise<SubmitResult>>();
  return async (application) => {
    const identities = identitiesOf(application);
    for (;;) {
      const earlier = identities.map((identity) => pending.get(identity)).find((found) => found !== undefined);
      if (earlier === undefined) break;
      const result = await earlier;
      if (result.kind === "unavailable") return result;
    }
    const result = accept(application);
    for (const identity of identities) pending.set(identity, result);
    try {
      return await result;
    } finally {
      for (const identity of identities) pending.delete(identity);
    }
  };
}

/** Returns everything that only one application may have. */
function identitiesOf({ protocol, id, idempotencyKey, owner, name, hasUniqueName = false }: NewApplication) {
  return [
    ...(id === undefined ? [] : [["id", protocol, id]]),
    ...(idempotencyKey === undefined ? [] : [["request", protocol, owner, idempotencyKey]]),
    ...(hasUniqueName && name !== undefined ? [["name", protocol, name]] : []),
  ].map((parts) => JSON.stringify(parts));
}
