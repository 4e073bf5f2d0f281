import { orThrow } from "../../../../errors/submit-error.ts";
import { simpleUserName } from "../../../../hadoop/hadoop-call.ts";
import { hdfsAddressOf, hdfsPathOf } from "../../../../hadoop/name-nodes.ts";
import { isSecure } from "../../../../hadoop/security.ts";
import { openWebHdfs, type WebHdfs } from "../../../../hadoop/webhdfs.ts";
import type { Host } from "../../../../host/host.ts";
import type { HadoopConf } from "../../../../values/hadoop-conf.ts";
import type { RemoteFileSystem } from "./remote-file-system.ts";

/** Opens an HDFS over WebHDFS, whose URLs the init container fetches as the same user. */
export function remoteHdfs(host: Host, hadoop: HadoopConf, proxied: string | undefined): RemoteFileSystem {
  const opened = new Map<string, WebHdfs>();
  const hdfsOf = (uri: string) => {
    // The init container has no Kerberos, and a token in an address would be valid for all files of the user.
    if (isSecure(hadoop)) throw new Error("the init container does not support an HDFS with Kerberos");
    const address = orThrow(hdfsAddressOf(uri, hadoop));
    const hdfs =
      opened.get(address.uri) ?? openWebHdfs(host, { address, user: { name: simpleUserName(host), proxied } });
    opened.set(address.uri, hdfs);
    return hdfs;
  };
  return {
    async urlsOf(uri, signal) {
      const path = hdfsPathOf(uri);
      const hdfs = hdfsOf(uri);
      const status = await hdfs.status(path);
      signal.throwIfAborted();
      if (status === undefined) throw new Error("the file does not exist");
      if (status.kind === "directory") throw new Error("it is a directory");
      return hdfs.contentUrls(path);
    },
    close() {
      for (const hdfs of opened.values()) hdfs.close();
    },
  };
}
