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
      const place = here(path);
      if (place !== undefined) return host.files.readBytes(place);
      const bytes = await remote?.read(path);
      if (bytes === undefined || !isWorthKeeping(path, bytes)) return bytes;
      const work = store.workPath();
      host.files.write(work, bytes);
      store.keep(url, path, work);
      return bytes;
    },
    has: async (path) => here(path) !== undefined || ((await remote?.has(path)) ?? false),
    async download(path, into) {
      const place = here(path);
      if (place !== undefined) {
        host.files.copy(place, into);
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

/** What says of itself that it is no POM, as the page of a proxy for strangers, would stand in the way for ever. */
function isWorthKeeping(path: string, bytes: Uint8Array): boolean {
  if (!path.endsWith(".pom")) return true;
  try {
    parsePom(bytes);
    return true;
  } catch {
    return false;
  }
}
