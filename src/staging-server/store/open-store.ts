import type { ContentFiles } from "../../host/content-files.ts";
import type { Host } from "../../host/host.ts";
import type { Awaitable } from "./awaitable.ts";
import { type Blobs, openBlobs } from "./blobs.ts";
import { type Bundles, openBundles } from "./bundles.ts";
import { openDirectoryUploads } from "./directory-uploads.ts";
import { type StoreLayout, storeLayout } from "./layout.ts";
import { openSigningKeys, type SigningKeys } from "./signing-keys.ts";
import type { Uploads } from "./uploads.ts";

/** Store of staged files, in a directory or a bucket. No state is only in memory, so several servers can share a store. */
export interface Store {
  readonly layout: StoreLayout;
  readonly blobs: Blobs;
  readonly bundles: Bundles;
  readonly uploads: Uploads;
  /** Returns the free bytes. */
  readonly freeBytes: () => Awaitable<number>;
  /** Removes tombstones, idempotency keys and temporary files that are older than `ageMs`. */
  readonly sweepTraces: (ageMs: number) => Awaitable<void>;
  /** Writes and removes a temporary file. @throws Node's error */
  readonly probe: () => Promise<void>;
  /** Opens the store's own signing keys, which all servers of the store share. */
  readonly ownKeys: () => Awaitable<SigningKeys>;
  readonly close: () => void;
}

/** Opens the store in a directory. Creates the directory if it does not exist. @throws Node's error */
export function openStore(host: Pick<Host, "files" | "clock" | "random">, contents: ContentFiles, root: string): Store {
  const { files, clock } = host;
  const layout = storeLayout(root);
  const { blobs, owned, bundles, uploads, tombstones, requests } = layout;
  for (const directory of [root, blobs, owned, bundles, uploads, tombstones, requests]) {
    files.makeDirectory(directory, { mode: 0o700 });
  }
  const scope = { host, contents, layout };
  const isOld = (path: string, ageMs: number) => (files.info(path)?.modifiedMs ?? clock.now()) <= clock.now() - ageMs;
  return {
    layout,
    blobs: openBlobs(scope),
    bundles: openBundles(scope),
    uploads: openDirectoryUploads(scope),
    freeBytes: () => contents.freeBytes(root),
    sweepTraces(ageMs) {
      const namespaces = (files.list(bundles) ?? []).map((directory) => `${bundles}/${directory}`);
      for (const directory of [tombstones, requests, ...namespaces]) {
        for (const name of files.list(directory) ?? []) {
          const isTrace = directory === tombstones || directory === requests || name.endsWith(".tmp");
          if (isTrace && isOld(`${directory}/${name}`, ageMs)) files.remove(`${directory}/${name}`);
        }
      }
    },
    async probe() {
      const path = `${root}/probe-${host.random.uuid()}`;
      try {
        await contents.replace(path, "x".repeat(4096));
      } finally {
        files.remove(path);
      }
    },
    ownKeys: () => openSigningKeys(host, { directory: layout.keys, isOwn: true }),
    close: () => {},
  };
}
