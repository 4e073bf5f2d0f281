import { forEachConcurrent } from "../../net/for-each-concurrent.ts";
import type { BundleRecord } from "./bundle-record.ts";
import { ignoreFull } from "./is-full.ts";
import type { Store } from "./open-store.ts";

const maxConcurrentBlobs = 16;

/**
 * Removes a bundle and restarts the retention time of its contents, because another server may still be sending them.
 * Returns false if the bundle does not exist.
 */
export async function removeBundle(store: Store, bundle: BundleRecord): Promise<boolean> {
  if (!(await store.bundles.remove(bundle))) return false;
  const { entries, owner } = bundle;
  await forEachConcurrent(entries, maxConcurrentBlobs, async (entry) => {
    await Promise.resolve(store.blobs.keep(owner.namespace, entry)).catch(ignoreFull);
  });
  return true;
}
