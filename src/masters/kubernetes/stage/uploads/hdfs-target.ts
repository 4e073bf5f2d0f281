import { orThrow } from "../../../../errors/submit-error.ts";
import { hdfsAddressOf } from "../../../../hadoop/name-nodes.ts";
import { openWebHdfs, type WebHdfs } from "../../../../hadoop/webhdfs.ts";
import type { Host } from "../../../../host/host.ts";
import type { HadoopConf } from "../../../../values/hadoop-conf.ts";
import { filesOf } from "./files-of.ts";
import type { UploadTarget } from "./upload-target.ts";

/** Drivers may run as another user. */
const readableByAll = { directory: "755", file: "644" };

/** An HDFS, by its WebHDFS: no class of Hadoop is needed, and no port of its own protocol. */
export function hdfsTarget(host: Host, conf: HadoopConf, proxied: string | undefined): UploadTarget {
  const opened = new Map<string, WebHdfs>();
  const user = { name: host.env["HADOOP_USER_NAME"] || host.user.name, proxied };
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
      // Whoever was interrupted wants this none the less.
      close();
      await hdfsOf(directory).remove(pathOf(directory));
    },
    close,
  };
}

/** What Hadoop makes of a URI: slashes that follow each other are one. */
function pathOf(directory: string): string {
  const path = directory.replace(/^[^:]+:\/\/[^/]*/, "").replace(/\/+/g, "/");
  return path.replace(/(?<=.)\/$/, "");
}
