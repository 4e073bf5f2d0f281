import type { Host } from "../host/host.ts";
import type { Repository } from "./repository.ts";

/** A repository in a folder of this machine, as Maven keeps one in `~/.m2/repository`. */
export function folderRepository(host: Host, name: string, folder: string): Repository {
  const { files } = host;
  const isFile = (path: string) => files.info(`${folder}/${path}`)?.kind === "file";
  return {
    name,
    read: async (path) => (isFile(path) ? files.readBytes(`${folder}/${path}`) : undefined),
    has: async (path) => isFile(path),
    async download(path, into) {
      if (!isFile(path)) return false;
      files.copy(`${folder}/${path}`, into);
      return true;
    },
    list: async (path) => files.list(`${folder}/${path}`) ?? [],
  };
}
