import type { Host } from "../host/host.ts";
import type { FileStore } from "./file-store.ts";
import { parsePom } from "./pom/pom.ts";
import type { Repository } from "./repository.ts";

/**
 * A repository whose files are fetched once. Lists of versions and snapshots change, so they come from the cache only offline.
 *
 * @param remote `undefined`: there is only what was fetched before
 */
export function storedRepository(
  host: Host,
  store: FileStore,
  { name, url, remote }: { name: string; url: string; remote: Repository | undefined },
): Repository {
  const here = (path: string) => {
    const isLasting = !/maven-metadata\.xml$|-SNAPSHOT\//.test(path);
    return isLasting || remote === undefined ? store.find(url, path) : undefined;
  };
  return {
    name,
    async read(path) {
      const localPath = here(path);
      if (localPath !== undefined) return host.files.readBytes(localPath);
      const bytes = await remote?.read(path);
      if (bytes === undefined || !isWorthKeeping(path, bytes)) return bytes;
      const work = store.workPath();
      host.files.write(work, bytes);
      store.keep(url, path, work);
      return bytes;
    },
    has: async (path) => here(path) !== undefined || ((await remote?.has(path)) ?? false),
    async download(path, into) {
      const localPath = here(path);
      if (localPath !== undefined) {
        host.files.copy(localPath, into);
        return true;
      }
      const work = store.workPath();
      try {
        if ((await remote?.download(path, work)) !== true) return false;
        host.files.copy(store.keep(url, path, work), into);
        return true;
      } finally {
        host.files.remove(work);
      }
    },
    list: async () => [],
  };
}

/** Rejects files that are not POMs, such as a proxy's login page, which would stay in the store permanently. */
function isWorthKeeping(path: string, bytes: Uint8Array): boolean {
  if (!path.endsWith(".pom")) return true;
  try {
    parsePom(bytes);
    return true;
  } catch {
    return false;
  }
}
