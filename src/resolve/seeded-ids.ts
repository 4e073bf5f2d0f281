import { createHash } from "node:crypto";
import type { SubmissionIds } from "../plan/facts.ts";
import { toAppId } from "../values/identity.ts";

/**
 * The ids of a submission, made of a seed instead of chance and clock: the same seed gives the same ids on every
 * machine and in every version of this program.
 *
 * Shape: as those made by chance, except that what looks like a time is none; the UUID is of version 8 (RFC 9562).
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
