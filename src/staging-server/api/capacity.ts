import { Problem } from "../problem.ts";
import type { ServerScope } from "../scope.ts";

/** @throws Problem TOO_LARGE */
export function requireAllowedSize({ options }: ServerScope, sizeBytes: number): void {
  const { maxBlobBytes = Infinity } = options.limits;
  if (sizeBytes > maxBlobBytes) throw tooLarge(maxBlobBytes);
}

/** A content that is larger than it may be. */
export function tooLarge(maxBytes: number): Problem {
  return new Problem("TOO_LARGE", `The content is larger than the ${maxBytes} bytes that are allowed.`);
}

/** @throws Problem QUOTA_EXCEEDED when a namespace would have more than it may */
export async function requireQuota(
  { options, store }: ServerScope,
  namespace: string,
  moreBytes: number,
): Promise<void> {
  const { maxNamespaceBytes } = options.limits;
  if (maxNamespaceBytes === undefined) return;
  const used = await store.blobs.usedBytes(namespace);
  if (used + moreBytes <= maxNamespaceBytes) return;
  const message = `The namespace ${namespace} has ${used} of ${maxNamespaceBytes} bytes: ${moreBytes} more are too many.`;
  throw new Problem("QUOTA_EXCEEDED", message);
}

/** @throws Problem STORE_FULL when the disk has no room */
export async function requireFreeSpace({ options, store }: ServerScope, moreBytes: number): Promise<void> {
  const free = await store.freeBytes();
  if (free - moreBytes >= options.limits.minFreeBytes) return;
  throw new Problem("STORE_FULL", `The store is full: ${free} bytes are free, ${moreBytes} more are wanted.`);
}
