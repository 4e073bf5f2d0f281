import type { Owners } from "../owners.ts";

/** Nobody looks: bundles go when their time is over. */
export const unwatchedOwners: Owners = { look: async () => ({ kind: "unwatched" }) };
