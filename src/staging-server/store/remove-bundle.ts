import { forEachConcurrent } from "../for-each-concurrent.ts";
import type { BundleRecord } from "./bundle-record.ts";
import type { Store } from "./open-store.ts";

const maxConcurrentBlobs = 16;

/**
 * Removes a bundle. The grace of its contents begins then: a server beside this one may be in the middle of giving them to
 * somebody.
 *
 * @returns false when it was not there
 */
export async function removeBundle(store: Store, bundle: BundleRecord): Promise<boolean> {
  if (!(await store.bundles.remove(bundle))) return false;
  const { entries, owner } = bundle;
  await forEachConcurrent(entries, maxConcurrentBlobs, async (entry) =>
    store.blobs.keep(owner.namespace, entry),
  );
  return true;
}
