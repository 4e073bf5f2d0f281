import { orThrow } from "../../../../errors/submit-error.ts";
import { hdfsAddressOf, hdfsPathOf } from "../../../../hadoop/name-nodes.ts";
import { type HadoopAccess, openAccess } from "../../../../hadoop/open-access.ts";
import { openWebHdfs, type WebHdfs } from "../../../../hadoop/webhdfs.ts";
import type { Host } from "../../../../host/host.ts";
import type { KeytabLogin } from "../../../../kerberos/kerberos-session.ts";
import type { HadoopConf } from "../../../../values/hadoop-conf.ts";
import { filesOf } from "./files-of.ts";
import type { UploadTarget } from "./upload-target.ts";

/** Permissions of uploads, because drivers can run as another user. */
const readableByAll = { directory: "755", file: "644" };

/** Settings of the submission that owns the uploads. */
interface HdfsOwner {
  readonly conf: HadoopConf;
  readonly login: KeytabLogin | undefined;
  /** User to act for. */
  readonly proxied: string | undefined;
}

/** Opens an HDFS over WebHDFS, without classes of Hadoop and without the port of its own protocol. */
export function hdfsTarget(host: Host, { conf, login, proxied }: HdfsOwner): UploadTarget {
  const opened = new Map<string, WebHdfs>();
  let access: HadoopAccess | undefined;
  const hdfsOf = async (directory: string, signal?: AbortSignal) => {
    const address = orThrow(hdfsAddressOf(directory, conf));
    access ??= await openAccess(host, { conf, login, proxied });
    const hdfs = opened.get(address.uri) ?? openWebHdfs(host, { address, ...access, signal });
    opened.set(address.uri, hdfs);
    return hdfs;
  };
  const close = () => {
    access?.close();
    access = undefined;
    opened.clear();
  };
  return {
    async connect(directory, signal) {
      await (await hdfsOf(directory, signal)).status(hdfsPathOf(directory));
    },
    async upload(upload, { signal, onProgress }) {
      const hdfs = await hdfsOf(upload.directory, signal);
      const directory = hdfsPathOf(upload.directory);
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
    async open(directory, name) {
      return (await hdfsOf(directory)).open(hdfsPathOf(`${directory}/${name}`));
    },
    async remove(directory) {
      // Connections of an interrupted upload are aborted; open a new one for the removal.
      close();
      await (await hdfsOf(directory)).remove(hdfsPathOf(directory));
    },
    close,
  };
}
