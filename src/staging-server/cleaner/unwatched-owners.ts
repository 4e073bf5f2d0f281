import type { Owners } from "../context/owners.ts";

/** Owners that are not watched: bundles are removed when they expire. */
export const unwatchedOwners: Owners = { fetchView: async () => ({ kind: "unwatched" }) };
