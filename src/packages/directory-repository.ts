import type { Host } from "../host/host.ts";
import type { Repository } from "./repository.ts";

/** Opens a repository in a local directory, laid out like Maven's `~/.m2/repository`. */
export function directoryRepository(host: Host, name: string, directory: string): Repository {
  const { files } = host;
  const isFile = (path: string) => files.info(`${directory}/${path}`)?.kind === "file";
  return {
    name,
    read: async (path) => (isFile(path) ? files.readBytes(`${directory}/${path}`) : undefined),
    has: async (path) => isFile(path),
    async download(path, into) {
      if (!isFile(path)) return false;
      files.copy(`${directory}/${path}`, into);
      return true;
    },
    list: async (path) => files.list(`${directory}/${path}`) ?? [],
  };
}
