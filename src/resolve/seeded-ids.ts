import { createHash } from "node:crypto";
import type { SubmissionIds } from "../plan/facts.ts";
import { toAppId } from "../values/identity.ts";

/**
 * Derives the IDs of a submission from a seed instead of random values and the clock: the same seed gives the same IDs on
 * every machine and in every version of Firesteel.
 *
 * Shape: as random IDs, but without a submission time; the UUID has version 8 (RFC 9562).
 */
export function seededIds(seed: string): SubmissionIds {
  const digest = (purpose: string) => createHash("sha256").update(`${purpose}\n${seed}`).digest("hex");
  const uniqueId = (purpose: string) => digest(purpose).slice(0, 16);
  return {
    appId: toAppId(digest("application id").slice(0, 32)),
    uniqueIds: {
      resourceNamePrefix: uniqueId("resource name prefix"),
      driverService: uniqueId("driver service"),
      confMap: uniqueId("configuration map"),
    },
    localDirUuid: toUuid(digest("local directory")),
  };
}

function toUuid(hex: string): string {
  const parts = [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`];
  return [...parts, hex.slice(20, 32)].join("-");
}
