import type { ListedObject } from "../../../s3/bucket.ts";
import { type BundleRecord, parseBundleRecord, parseJson } from "../bundle-record.ts";
import { type Bundles, isCreatedBundle } from "../bundles.ts";
import { hashOf, isId } from "../layout.ts";
import type { S3Scope } from "./s3-scope.ts";

const maxConcurrentReads = 32;
const maxAttempts = 8;

/** Opens the bundles of a store in a bucket, one object each. */
export function openS3Bundles({ bucket, host, layout, isConditional }: S3Scope): Bundles {
  const keyOf = (bundleId: string) => `${layout.bundles}/${bundleId}.json`;
  const tombstone = (bundleId: string) => `${layout.tombstones}/${bundleId}.json`;
  const request = (key: string) => `${layout.requests}/${hashOf(key)}.json`;
  /** Records by key, with the entity tags at which they were read. */
  const seen = new Map<string, { readonly etag: string; readonly record: BundleRecord }>();
  const read = async (bundleId: string) => {
    const found = await bucket.readText(keyOf(bundleId));
    const record = parseBundleRecord(found?.text);
    return found === undefined || record === undefined ? undefined : { record, etag: found.etag };
  };
  const readListed = async ({ key, etag }: ListedObject) => {
    const known = seen.get(key);
    if (known?.etag === etag) return known.record;
    const bundleId = key.slice(layout.bundles.length + 1, -".json".length);
    const found = isId(bundleId) ? await read(bundleId) : undefined;
    if (found !== undefined) seen.set(key, found);
    return found?.record;
  };
  return {
    async add(record) {
      await bucket.put(keyOf(record.bundleId), JSON.stringify(record));
    },
    async find(bundleId, namespace) {
      const found = isId(bundleId) ? await read(bundleId) : undefined;
      const isInNamespace = namespace === undefined || found?.record.owner.namespace === namespace;
      return isInNamespace ? found?.record : undefined;
    },
    async change({ bundleId }, change) {
      for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
        const found = await read(bundleId);
        if (found === undefined) return undefined;
        const next = change(found.record);
        if (next === found.record) return next;
        const options = isConditional ? { condition: { ifMatch: found.etag } } : {};
        if (await bucket.put(keyOf(bundleId), JSON.stringify(next), options)) return next;
      }
      throw new Error(`the bundle ${bundleId} has too many concurrent changes`);
    },
    async remove({ bundleId }) {
      if ((await bucket.info(keyOf(bundleId))) === undefined) return false;
      await bucket.put(tombstone(bundleId), JSON.stringify({ removedAtMs: host.clock.now() }));
      await bucket.remove(keyOf(bundleId));
      return true;
    },
    async isRemoved(bundleId) {
      return isId(bundleId) && (await bucket.info(tombstone(bundleId))) !== undefined;
    },
    async *all() {
      const listed: ListedObject[] = [];
      for await (const object of bucket.list(`${layout.bundles}/`)) listed.push(object);
      const listedKeys = new Set(listed.map(({ key }) => key));
      for (const key of seen.keys()) if (!listedKeys.has(key)) seen.delete(key);
      for (let first = 0; first < listed.length; first += maxConcurrentReads) {
        const records = await Promise.all(listed.slice(first, first + maxConcurrentReads).map(readListed));
        for (const record of records) if (record !== undefined) yield record;
      }
    },
    async findCreated(key) {
      const created = parseJson((await bucket.readText(request(key)))?.text);
      return isCreatedBundle(created) ? created : undefined;
    },
    async recordCreated(key, created) {
      await bucket.put(request(key), JSON.stringify(created));
    },
  };
}
