import * as v from "valibot";
import type { BundleEntry, Digest, StagedOwner } from "../../staging-client/bundle.ts";
import { entryKinds, isDigest } from "../../staging-client/bundle.ts";

/** Stored record of a bundle; times in ms since 1970. */
export interface BundleRecord {
  readonly bundleId: string;
  readonly owner: StagedOwner;
  readonly entries: readonly BundleEntry[];
  readonly createdAtMs: number;
  /** Time until which the bundle is kept without an owner. */
  readonly leaseUntilMs: number;
  /** Of the token; only in API v1. */
  readonly receipt?: TokenReceipt;
  /** SHA-256 of the secret in hex; only in API v0. */
  readonly secretHash?: string;
  readonly history: OwnerHistory;
}

/** Inputs that reproduce the same token. */
export interface TokenReceipt {
  readonly kid: string;
  readonly jti: string;
  readonly expiresAtMs: number;
}

/** Owner history as the cleaner has observed it; each field is absent until observed. */
export interface OwnerHistory {
  /** An owner was first seen. */
  readonly seenAtMs?: number;
  /** All owners had ended. */
  readonly endedAtMs?: number;
  /** No owner existed any more. */
  readonly absentSinceMs?: number;
  /** The namespace did not exist any more. */
  readonly namespaceGoneSinceMs?: number;
  /** A client last started a download. */
  readonly usedAtMs?: number;
}

/** Shape of a digest. */
export const digestShape = v.custom<Digest>(
  (value) => typeof value === "string" && isDigest(value),
  "must be sha256: and 64 hex digits in lower case",
);

/** Shape of a size in bytes. */
export const sizeShape = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

/** Shape of a file in a bundle. */
export const entryShape = v.object({
  kind: v.picklist(entryKinds),
  name: v.string(),
  digest: digestShape,
  size: sizeShape,
  executable: v.boolean(),
});

/** Shape of a bundle's owner. */
export const ownerShape = v.object({
  namespace: v.string(),
  labels: v.record(v.string(), v.string()),
  type: v.literal("Pod"),
});

const instant = v.number();

const recordShape = v.object({
  bundleId: v.string(),
  owner: ownerShape,
  entries: v.array(entryShape),
  createdAtMs: instant,
  leaseUntilMs: instant,
  receipt: v.exactOptional(v.object({ kid: v.string(), jti: v.string(), expiresAtMs: instant })),
  secretHash: v.exactOptional(v.string()),
  history: v.object({
    seenAtMs: v.exactOptional(instant),
    endedAtMs: v.exactOptional(instant),
    absentSinceMs: v.exactOptional(instant),
    namespaceGoneSinceMs: v.exactOptional(instant),
    usedAtMs: v.exactOptional(instant),
  }),
});

/** Parses a stored record. Returns `undefined` if it is invalid, for example truncated by a disk failure. */
export function parseBundleRecord(text: string | undefined): BundleRecord | undefined {
  const parsed = v.safeParse(recordShape, parseJson(text));
  return parsed.success ? parsed.output : undefined;
}

/** Parses JSON. Returns `undefined` if the text is not JSON. */
export function parseJson(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
