import { Problem } from "../context/problem.ts";
import type { ServerScope } from "../context/scope.ts";

/** Requires that a content is not larger than the limit. @throws Problem TOO_LARGE */
export function requireAllowedSize({ options }: ServerScope, sizeBytes: number): void {
  const { maxBlobBytes = Infinity } = options.limits;
  if (sizeBytes > maxBlobBytes) throw tooLarge(maxBlobBytes);
}

/** Creates the problem of a content that exceeds the limit. */
export function tooLarge(maxBytes: number): Problem {
  return new Problem("TOO_LARGE", `The content exceeds the limit of ${maxBytes} bytes.`);
}

/** Requires that more bytes fit in the quota of a namespace. @throws Problem QUOTA_EXCEEDED */
export async function requireQuota(
  { options, store }: ServerScope,
  namespace: string,
  moreBytes: number,
): Promise<void> {
  const { maxNamespaceBytes } = options.limits;
  if (maxNamespaceBytes === undefined) return;
  const used = await store.blobs.usedBytes(namespace);
  if (used + moreBytes <= maxNamespaceBytes) return;
  const message = `The namespace ${namespace} uses ${used} of ${maxNamespaceBytes} bytes: ${moreBytes} more exceed its quota.`;
  throw new Problem("QUOTA_EXCEEDED", message);
}

/** Requires that the store keeps its free space reserve. @throws Problem STORE_FULL */
export async function requireFreeSpace({ options, store }: ServerScope, moreBytes: number): Promise<void> {
  const free = await store.freeBytes();
  if (free - moreBytes >= options.limits.minFreeBytes) return;
  throw new Problem("STORE_FULL", `The store is full: ${free} bytes are free, ${moreBytes} more are required.`);
}
