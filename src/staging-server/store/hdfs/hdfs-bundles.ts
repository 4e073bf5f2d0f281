import { forEachConcurrent } from "../../../net/for-each-concurrent.ts";
import { type BundleRecord, parseBundleRecord, parseJson } from "../bundle-record.ts";
import { type Bundles, isCreatedBundle } from "../bundles.ts";
import { ignoreFull } from "../is-full.ts";
import { isId } from "../layout.ts";
import { readText, writeNew } from "./hdfs-files.ts";
import { type HdfsScope, storePermissions } from "./hdfs-scope.ts";

const maxConcurrentReads = 16;
const maxAttempts = 8;

/**
 * A record in its current version. The versions of a bundle are files `<number>.json` in its directory, and none is ever replaced: of
 * two servers that change a record at the same time, one fails to create the next version and reads again. A bundle without
 * directory is removed.
 */
interface StoredRecord {
  readonly version: number;
  readonly record: BundleRecord;
}

/** Opens the bundles of a store in an HDFS, one directory each. */
export function openHdfsBundles(scope: HdfsScope): Bundles {
  const { hdfs, host, layout } = scope;
  const isRemoved = async (bundleId: string) =>
    isId(bundleId) && (await hdfs.status(layout.tombstone(bundleId))) !== undefined;
  const cached = new Map<string, { readonly modifiedMs: number; readonly found: StoredRecord }>();
  return {
    async add(record) {
      const directory = directoryOf(scope, record);
      await hdfs.makeDirectory(directory, storePermissions.directory);
      if (!(await writeNew(scope, versionPath(directory, 1), JSON.stringify(record))))
        throw new Error(`the bundle ${record.bundleId} exists already`);
    },
    async find(bundleId, namespace) {
      if (!isId(bundleId)) return undefined;
      if (namespace !== undefined)
        return (await readNewest(scope, `${layout.bundlesOf(namespace)}/${bundleId}`))?.record;
      for (const { name } of (await hdfs.list(layout.bundles)) ?? []) {
        const found = await readNewest(scope, `${layout.bundles}/${name}/${bundleId}`);
        if (found !== undefined) return found.record;
      }
      return undefined;
    },
    async change(record, change) {
      const directory = directoryOf(scope, record);
      for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
        const found = await readNewest(scope, directory);
        if (found === undefined) return undefined;
        const next = change(found.record);
        if (next === found.record) return next;
        if (!(await writeNew(scope, versionPath(directory, found.version + 1), JSON.stringify(next)))) continue;
        await hdfs.remove(versionPath(directory, found.version));
        return next;
      }
      throw new Error(`the bundle ${record.bundleId} has too many concurrent changes`);
    },
    async remove(record) {
      const directory = directoryOf(scope, record);
      if ((await hdfs.status(directory)) === undefined) return false;
      const text = JSON.stringify({ removedAtMs: host.clock.now() });
      await writeNew(scope, layout.tombstone(record.bundleId), text).catch(ignoreFull);
      return hdfs.remove(directory);
    },
    isRemoved,
    all: () => readAll(scope, cached),
    async findCreated(key) {
      const created = parseJson(await readText(scope, layout.request(key)));
      return isCreatedBundle(created) ? created : undefined;
    },
    async recordCreated(key, created) {
      await writeNew(scope, layout.request(key), JSON.stringify(created));
    },
  };
}

function directoryOf({ layout }: HdfsScope, { owner, bundleId }: BundleRecord): string {
  return `${layout.bundlesOf(owner.namespace)}/${bundleId}`;
}

function versionPath(directory: string, version: number): string {
  return `${directory}/${String(version).padStart(8, "0")}.json`;
}

/** Reads the current version of a record. `undefined` if the bundle does not exist. */
async function readNewest(scope: HdfsScope, directory: string): Promise<StoredRecord | undefined> {
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const name = (await scope.hdfs.list(directory))?.at(-1)?.name;
    if (name === undefined) return undefined;
    const text = await readText(scope, `${directory}/${name}`);
    // A change may have replaced the version since it was listed.
    if (text === undefined) continue;
    const record = parseBundleRecord(text);
    return record && { version: Number.parseInt(name, 10), record };
  }
  throw new Error(`${directory} changes too often to be read`);
}

/** Time after which a change that has the same modification time as an earlier one cannot happen any more. */
const settledMs = 10_000;

/** Reads all records. `cached` has those read before, by directory; a record is read again when its directory has changed. */
async function* readAll(
  scope: HdfsScope,
  cached: Map<string, { readonly modifiedMs: number; readonly found: StoredRecord }>,
): AsyncGenerator<BundleRecord> {
  const { hdfs, host, layout } = scope;
  const listed = new Set<string>();
  for (const namespace of (await hdfs.list(layout.bundles)) ?? []) {
    const bundles = (await hdfs.list(`${layout.bundles}/${namespace.name}`)) ?? [];
    const records: (BundleRecord | undefined)[] = [];
    await forEachConcurrent(bundles, maxConcurrentReads, async ({ name, modifiedMs }) => {
      const directory = `${layout.bundles}/${namespace.name}/${name}`;
      listed.add(directory);
      const known = cached.get(directory);
      const isCurrent = known?.modifiedMs === modifiedMs;
      const found = isCurrent ? known.found : await readNewest(scope, directory);
      records.push(found?.record);
      if (isCurrent || found === undefined) return;
      if (modifiedMs < host.clock.now() - settledMs) cached.set(directory, { modifiedMs, found });
      else cached.delete(directory);
    });
    for (const record of records) if (record !== undefined) yield record;
  }
  for (const directory of cached.keys()) if (!listed.has(directory)) cached.delete(directory);
}
