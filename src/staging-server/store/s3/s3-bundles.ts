import type { ListedObject } from "../../../s3/bucket.ts";
import { type BundleRecord, parseBundleRecord, parseJson } from "../bundle-record.ts";
import { type Bundles, isCreatedBundle } from "../bundles.ts";
import { ignoreFull } from "../is-full.ts";
import { isId } from "../layout.ts";
import type { S3Scope } from "./s3-scope.ts";

const maxConcurrentReads = 32;
const maxAttempts = 8;

interface StoredRecord {
  readonly etag: string;
  readonly record: BundleRecord;
}

/** Opens the bundles of a store in a bucket, one object each. */
export function openS3Bundles(scope: S3Scope): Bundles {
  const { bucket, host, layout } = scope;
  const cached = new Map<string, StoredRecord>();
  return {
    async add(record) {
      await bucket.put(keyOf(scope, record.bundleId), JSON.stringify(record));
    },
    async find(bundleId, namespace) {
      const found = isId(bundleId) ? await read(scope, bundleId) : undefined;
      const isInNamespace = namespace === undefined || found?.record.owner.namespace === namespace;
      return isInNamespace ? found?.record : undefined;
    },
    change: ({ bundleId }, change) => changeRecord(scope, bundleId, change),
    async remove({ bundleId }) {
      if ((await bucket.info(keyOf(scope, bundleId))) === undefined) return false;
      const text = JSON.stringify({ removedAtMs: host.clock.now() });
      await bucket.put(layout.tombstone(bundleId), text).catch(ignoreFull);
      await bucket.remove(keyOf(scope, bundleId));
      return true;
    },
    async isRemoved(bundleId) {
      return isId(bundleId) && (await bucket.info(layout.tombstone(bundleId))) !== undefined;
    },
    all: () => readAll(scope, cached),
    async findCreated(key) {
      const created = parseJson((await bucket.readText(layout.request(key)))?.text);
      return isCreatedBundle(created) ? created : undefined;
    },
    async recordCreated(key, created) {
      await bucket.put(layout.request(key), JSON.stringify(created));
    },
  };
}

function keyOf({ layout }: S3Scope, bundleId: string): string {
  return `${layout.bundles}/${bundleId}.json`;
}

async function read(scope: S3Scope, bundleId: string): Promise<StoredRecord | undefined> {
  const found = await scope.bucket.readText(keyOf(scope, bundleId));
  const record = parseBundleRecord(found?.text);
  return found === undefined || record === undefined ? undefined : { record, etag: found.etag };
}

async function changeRecord(
  scope: S3Scope,
  bundleId: string,
  change: (record: BundleRecord) => BundleRecord,
): Promise<BundleRecord | undefined> {
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const found = await read(scope, bundleId);
    if (found === undefined) return undefined;
    const next = change(found.record);
    if (next === found.record) return next;
    const options = scope.isConditional ? { condition: { ifMatch: found.etag } } : {};
    if (await scope.bucket.put(keyOf(scope, bundleId), JSON.stringify(next), options)) return next;
  }
  throw new Error(`the bundle ${bundleId} has too many concurrent changes`);
}

/** Reads all records. `cached` has those read before, by key; a record is read again when its entity tag has changed. */
async function* readAll(scope: S3Scope, cached: Map<string, StoredRecord>): AsyncGenerator<BundleRecord> {
  const { bucket, layout } = scope;
  const listed: ListedObject[] = [];
  for await (const object of bucket.list(`${layout.bundles}/`)) listed.push(object);
  const listedKeys = new Set(listed.map(({ key }) => key));
  for (const key of cached.keys()) if (!listedKeys.has(key)) cached.delete(key);
  const readListed = async ({ key, etag }: ListedObject) => {
    const known = cached.get(key);
    if (known?.etag === etag) return known.record;
    const bundleId = key.slice(layout.bundles.length + 1, -".json".length);
    const found = isId(bundleId) ? await read(scope, bundleId) : undefined;
    if (found !== undefined) cached.set(key, found);
    return found?.record;
  };
  for (let first = 0; first < listed.length; first += maxConcurrentReads) {
    const records = await Promise.all(listed.slice(first, first + maxConcurrentReads).map(readListed));
    for (const record of records) if (record !== undefined) yield record;
  }
}
