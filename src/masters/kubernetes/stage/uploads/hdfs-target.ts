import { orThrow } from "../../../../errors/submit-error.ts";
import { hdfsAddressOf } from "../../../../hadoop/name-nodes.ts";
import { openWebHdfs, type WebHdfs } from "../../../../hadoop/webhdfs.ts";
import type { Host } from "../../../../host/host.ts";
import type { HadoopConf } from "../../../../values/hadoop-conf.ts";
import { hadoopUser } from "../hadoop-user.ts";
import { filesOf } from "./files-of.ts";
import type { UploadTarget } from "./upload-target.ts";

/** Permissions of uploads, because drivers can run as another user. */
const readableByAll = { directory: "755", file: "644" };

/** Opens an HDFS over WebHDFS, without classes of Hadoop and without the port of its own protocol. */
export function hdfsTarget(host: Host, conf: HadoopConf, proxied: string | undefined): UploadTarget {
  const opened = new Map<string, WebHdfs>();
  const user = hadoopUser(host, proxied);
  const hdfsOf = (directory: string, signal?: AbortSignal) => {
    const address = orThrow(hdfsAddressOf(directory, conf));
    const hdfs = opened.get(address.uri) ?? openWebHdfs(host, { address, user, signal });
    opened.set(address.uri, hdfs);
    return hdfs;
  };
  const close = () => {
    for (const hdfs of opened.values()) hdfs.close();
    opened.clear();
  };
  return {
    async upload(upload, { signal, onProgress }) {
      const hdfs = hdfsOf(upload.directory, signal);
      const directory = pathOf(upload.directory);
      await hdfs.makeDirectory(directory, readableByAll.directory);
      let doneBytes = 0;
      for (const { path, sizeBytes, below } of filesOf(host.files, upload.path)) {
        signal?.throwIfAborted();
        const content = { path, offset: 0, size: sizeBytes };
        const permission = readableByAll.file;
        await hdfs.create({ path: `${directory}/${upload.name}${below}`, content, permission });
        doneBytes += sizeBytes;
        onProgress(doneBytes);
      }
    },
    async remove(directory) {
      // Connections of an interrupted upload are aborted; open a new one for the removal.
      close();
      await hdfsOf(directory).remove(pathOf(directory));
    },
    close,
  };
}

/** Returns the path of a URI as Hadoop parses it: repeated slashes become one. */
export function pathOf(uri: string): string {
  const path = uri.replace(/^[^:]+:\/\/[^/]*/, "").replace(/\/+/g, "/");
  return path.replace(/(?<=.)\/$/, "");
}
