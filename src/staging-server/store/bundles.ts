import type { ContentFiles } from "../../host/content-files.ts";
import type { Host } from "../../host/host.ts";
import { replaceFile } from "../../host/replace-file.ts";
import type { Awaitable } from "./awaitable.ts";
import { type BundleRecord, parseBundleRecord, parseJson } from "./bundle-record.ts";
import { ignoreFull } from "./is-full.ts";
import { isId, type StoreLayout } from "./layout.ts";

/** Dependencies of a store on a disk. */
export interface StoreScope {
  readonly host: Pick<Host, "files" | "clock" | "random">;
  readonly contents: ContentFiles;
  readonly layout: StoreLayout;
}

/** Bundles of all namespaces. Their state is only in the store, so it survives a restart. */
export interface Bundles {
  /** Adds a bundle. When it resolves, the record survives a power failure. */
  readonly add: (record: BundleRecord) => Promise<void>;
  /** Finds a bundle. `namespace`: its namespace, if known. */
  readonly find: (bundleId: string, namespace?: string) => Awaitable<BundleRecord | undefined>;
  /** Changes a bundle. Returns `undefined` if it does not exist. Does not wait until the change is on the disk. */
  readonly change: (
    record: BundleRecord,
    change: (now: BundleRecord) => BundleRecord,
  ) => Awaitable<BundleRecord | undefined>;
  /** Removes a bundle and writes a tombstone, unless the store is full. Returns false if the bundle does not exist. */
  readonly remove: (record: BundleRecord) => Awaitable<boolean>;
  /** Returns whether a tombstone of the bundle exists. */
  readonly isRemoved: (bundleId: string) => Awaitable<boolean>;
  /** Iterates over all bundles. */
  readonly all: () => AsyncIterable<BundleRecord>;
  /** Finds the bundle that a request with this idempotency key has created. */
  readonly findCreated: (key: string) => Awaitable<CreatedBundle | undefined>;
  /** Records the bundle that a request with this idempotency key has created. */
  readonly recordCreated: (key: string, created: CreatedBundle) => Promise<void>;
}

/** Result of a request with an idempotency key. */
interface CreatedBundle {
  readonly bundleId: string;
  readonly requestHash: string;
}

const maxConcurrentReads = 64;

/** Opens the bundles of a store on a disk. */
export function openBundles({ host, contents, layout }: StoreScope): Bundles {
  const { files, clock } = host;
  const fileOf = ({ owner, bundleId }: BundleRecord) => `${layout.bundlesOf(owner.namespace)}/${bundleId}.json`;
  const read = (path: string) => parseBundleRecord(files.readText(path));
  return {
    async add(record) {
      files.makeDirectory(layout.bundlesOf(record.owner.namespace), { mode: 0o700 });
      await contents.replace(fileOf(record), JSON.stringify(record));
    },
    find(bundleId, namespace) {
      if (!isId(bundleId)) return undefined;
      if (namespace !== undefined) return read(`${layout.bundlesOf(namespace)}/${bundleId}.json`);
      for (const namespaceHash of files.list(layout.bundles) ?? []) {
        const record = read(`${layout.bundles}/${namespaceHash}/${bundleId}.json`);
        if (record !== undefined) return record;
      }
      return undefined;
    },
    change(record, change) {
      const path = fileOf(record);
      const now = read(path);
      if (now === undefined) return undefined;
      const next = change(now);
      if (next === now) return now;
      replaceFile(host, path, JSON.stringify(next), { mode: 0o600 });
      return next;
    },
    remove(record) {
      if (files.info(fileOf(record)) === undefined) return false;
      try {
        files.write(layout.tombstone(record.bundleId), JSON.stringify({ removedAtMs: clock.now() }), { mode: 0o600 });
      } catch (error) {
        ignoreFull(error);
      }
      files.remove(fileOf(record));
      return true;
    },
    isRemoved: (bundleId) => isId(bundleId) && files.info(layout.tombstone(bundleId)) !== undefined,
    async *all() {
      for (const namespaceHash of await contents.list(layout.bundles)) {
        const names = await contents.list(`${layout.bundles}/${namespaceHash}`);
        const paths = names.filter((name) => name.endsWith(".json"));
        for (let first = 0; first < paths.length; first += maxConcurrentReads) {
          const some = paths.slice(first, first + maxConcurrentReads);
          const texts = some.map((name) => contents.readText(`${layout.bundles}/${namespaceHash}/${name}`));
          for (const text of await Promise.all(texts)) {
            const record = parseBundleRecord(text);
            if (record !== undefined) yield record;
          }
        }
      }
    },
    findCreated(key) {
      const created = parseJson(files.readText(layout.request(key)));
      return isCreatedBundle(created) ? created : undefined;
    },
    recordCreated: (key, created) => contents.replace(layout.request(key), JSON.stringify(created)),
  };
}

/** Returns whether a JSON value has the shape of a `CreatedBundle`. */
export function isCreatedBundle(value: unknown): value is CreatedBundle {
  return typeof value === "object" && value !== null && "bundleId" in value && "requestHash" in value;
}
