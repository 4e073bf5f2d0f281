import type { Host } from "../host/host.ts";
import type { FileStore } from "./file-store.ts";
import { parsePom } from "./pom/pom.ts";
import type { Repository } from "./repository.ts";

/**
 * Caches a repository's files. Lists of versions and snapshots change, so the cache provides them only offline.
 *
 * @param remote `undefined` to use only the cache
 */
export function storedRepository(
  host: Host,
  store: FileStore,
  { name, url, remote }: { name: string; url: string; remote: Repository | undefined },
): Repository {
  const findStored = (path: string) => {
    const isImmutable = !/maven-metadata\.xml$|-SNAPSHOT\//.test(path);
    return isImmutable || remote === undefined ? store.find(url, path) : undefined;
  };
  return {
    name,
    async read(path) {
      const localPath = findStored(path);
      if (localPath !== undefined) return host.files.readBytes(localPath);
      const bytes = await remote?.read(path);
      if (bytes === undefined || !isCacheable(path, bytes)) return bytes;
      const work = store.workPath();
      host.files.write(work, bytes);
      store.keep(url, path, work);
      return bytes;
    },
    has: async (path) => findStored(path) !== undefined || ((await remote?.has(path)) ?? false),
    async download(path, into) {
      const localPath = findStored(path);
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
function isCacheable(path: string, bytes: Uint8Array): boolean {
  if (!path.endsWith(".pom")) return true;
  try {
    parsePom(bytes);
    return true;
  } catch {
    return false;
  }
}
