import type { ContentFiles } from "../../host/content-files.ts";
import type { Host } from "../../host/host.ts";
import type { Awaitable } from "./awaitable.ts";
import { type Blobs, openBlobs } from "./blobs.ts";
import { type Bundles, openBundles } from "./bundles.ts";
import { openDirectoryUploads } from "./directory-uploads.ts";
import { type StoreLayout, storeLayout } from "./layout.ts";
import { openSigningKeys, type SigningKeys } from "./signing-keys.ts";
import type { Uploads } from "./uploads.ts";

/** Everything that is staged, in a folder or a bucket: nothing of it is in memory alone, so that several servers may share it. */
export interface Store {
  readonly layout: StoreLayout;
  readonly blobs: Blobs;
  readonly bundles: Bundles;
  readonly uploads: Uploads;
  /** Bytes that may still be written. */
  readonly freeBytes: () => Awaitable<number>;
  /** Removes traces of what was there, and what a killed server was writing, older than `ageMs`. */
  readonly sweepTraces: (ageMs: number) => Awaitable<void>;
  /** Writes something and removes it. @throws Node's error */
  readonly probe: () => Promise<void>;
  /** Of its own, where no others are given; all servers that share it have the same. */
  readonly ownKeys: () => Awaitable<SigningKeys>;
  readonly close: () => void;
}

/** Opens the store in a folder, which is made where it is not there. @throws Node's error */
export function openStore(
  host: Pick<Host, "files" | "clock" | "random">,
  contents: ContentFiles,
  root: string,
): Store {
  const { files, clock } = host;
  const layout = storeLayout(root);
  const { blobs, owned, bundles, uploads, tombstones, requests } = layout;
  for (const folder of [root, blobs, owned, bundles, uploads, tombstones, requests]) {
    files.makeDirectory(folder, { mode: 0o700 });
  }
  const scope = { host, contents, layout };
  const isOld = (path: string, ageMs: number) =>
    (files.info(path)?.modifiedMs ?? clock.now()) <= clock.now() - ageMs;
  return {
    layout,
    blobs: openBlobs(scope),
    bundles: openBundles(scope),
    uploads: openDirectoryUploads(scope),
    freeBytes: () => contents.freeBytes(root),
    sweepTraces(ageMs) {
      const namespaces = (files.list(bundles) ?? []).map((folder) => `${bundles}/${folder}`);
      for (const folder of [tombstones, requests, ...namespaces]) {
        for (const name of files.list(folder) ?? []) {
          const isTrace = folder === tombstones || folder === requests || name.endsWith(".tmp");
          if (isTrace && isOld(`${folder}/${name}`, ageMs)) files.remove(`${folder}/${name}`);
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
    ownKeys: () => openSigningKeys(host, { folder: layout.keys, isOwn: true }),
    close: () => {},
  };
}
