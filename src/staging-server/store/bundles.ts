import type { ContentFiles } from "../../host/content-files.ts";
import type { Host } from "../../host/host.ts";
import type { Awaitable } from "./awaitable.ts";
import { type BundleRecord, parseBundleRecord, parseJson } from "./bundle-record.ts";
import { hashOf, isId, type StoreLayout } from "./layout.ts";

/** Layout of a store on a disk, and its files. */
export interface StoreScope {
  readonly host: Pick<Host, "files" | "clock" | "random">;
  readonly contents: ContentFiles;
  readonly layout: StoreLayout;
}

/** The bundles of all namespaces: files are all there is, so that a restart forgets nothing. */
export interface Bundles {
  /** When it resolves, the machine's end does not take it back. */
  readonly add: (record: BundleRecord) => Promise<void>;
  /** @param namespace where it is, if that is known */
  readonly find: (bundleId: string, namespace?: string) => Awaitable<BundleRecord | undefined>;
  /** Changes a bundle that is still there; what is changed is not waited for until it is on the disk. */
  readonly change: (
    record: BundleRecord,
    change: (now: BundleRecord) => BundleRecord,
  ) => Awaitable<BundleRecord | undefined>;
  /** Removes it and remembers that it was there; false when it was not. */
  readonly remove: (record: BundleRecord) => Awaitable<boolean>;
  /** Whether it was there lately. */
  readonly isRemoved: (bundleId: string) => Awaitable<boolean>;
  /** All, as they are found one by one. */
  readonly all: () => AsyncIterable<BundleRecord>;
  /** The bundle that an idempotency key has made, and for which request. */
  readonly madeBy: (key: string) => Awaitable<MadeBundle | undefined>;
  readonly remember: (key: string, made: MadeBundle) => Promise<void>;
}

/** Result of a request with an idempotency key. */
export interface MadeBundle {
  readonly bundleId: string;
  readonly requestHash: string;
}

const maxConcurrentReads = 64;

/** The bundles of a store on a disk. */
export function openBundles({ host, contents, layout }: StoreScope): Bundles {
  const { files, clock } = host;
  const fileOf = ({ owner, bundleId }: BundleRecord) =>
    `${layout.bundlesOf(owner.namespace)}/${bundleId}.json`;
  const tombstone = (bundleId: string) => `${layout.tombstones}/${bundleId}.json`;
  const read = (path: string) => parseBundleRecord(files.readText(path));
  return {
    async add(record) {
      files.makeDirectory(layout.bundlesOf(record.owner.namespace), { mode: 0o700 });
      await contents.replace(fileOf(record), JSON.stringify(record));
    },
    find(bundleId, namespace) {
      if (!isId(bundleId)) return undefined;
      if (namespace !== undefined) return read(`${layout.bundlesOf(namespace)}/${bundleId}.json`);
      for (const folder of files.list(layout.bundles) ?? []) {
        const record = read(`${layout.bundles}/${folder}/${bundleId}.json`);
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
      // Several servers may share the folder.
      const temporary = `${path}.${host.random.uuid()}.tmp`;
      files.write(temporary, JSON.stringify(next), { mode: 0o600 });
      files.rename(temporary, path);
      return next;
    },
    remove(record) {
      if (files.info(fileOf(record)) === undefined) return false;
      files.write(tombstone(record.bundleId), JSON.stringify({ removedAtMs: clock.now() }), { mode: 0o600 });
      files.remove(fileOf(record));
      return true;
    },
    isRemoved: (bundleId) => isId(bundleId) && files.info(tombstone(bundleId)) !== undefined,
    async *all() {
      for (const folder of await contents.list(layout.bundles)) {
        const names = await contents.list(`${layout.bundles}/${folder}`);
        const paths = names.filter((name) => name.endsWith(".json"));
        for (let first = 0; first < paths.length; first += maxConcurrentReads) {
          const some = paths.slice(first, first + maxConcurrentReads);
          const texts = some.map((name) => contents.readText(`${layout.bundles}/${folder}/${name}`));
          for (const text of await Promise.all(texts)) {
            const record = parseBundleRecord(text);
            if (record !== undefined) yield record;
          }
        }
      }
    },
    madeBy(key) {
      const made = parseJson(files.readText(`${layout.requests}/${hashOf(key)}.json`));
      return isMade(made) ? made : undefined;
    },
    remember: (key, made) => contents.replace(`${layout.requests}/${hashOf(key)}.json`, JSON.stringify(made)),
  };
}

/** Whether it is one. */
export function isMade(value: unknown): value is MadeBundle {
  return typeof value === "object" && value !== null && "bundleId" in value && "requestHash" in value;
}
