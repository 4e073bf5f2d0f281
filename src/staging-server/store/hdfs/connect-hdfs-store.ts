import { orThrow } from "../../../errors/submit-error.ts";
import { hdfsAddressOf, hdfsPathOf } from "../../../hadoop/name-nodes.ts";
import { openAccess } from "../../../hadoop/open-access.ts";
import { hadoopDirectories, readHadoopConf } from "../../../hadoop/read-hadoop-conf.ts";
import { openWebHdfs } from "../../../hadoop/webhdfs.ts";
import type { Host } from "../../../host/host.ts";
import type { Store } from "../open-store.ts";
import { openHdfsStore } from "./open-hdfs-store.ts";

/** Directory of an HDFS, and the login for Kerberos. */
export interface HdfsStoreLocation {
  /** E.g. `hdfs://nameservice1/staging`. */
  readonly uri: string;
  /** Principal of the keytab. @default that of the process's tickets */
  readonly principal?: string | undefined;
  readonly keytab?: string | undefined;
}

/**
 * Opens the store in an HDFS with the Hadoop configuration of the environment, and logs in if it requires Kerberos.
 *
 * @throws SUBMIT_ERR_HADOOP_…, SUBMIT_ERR_KERBEROS_…, SUBMIT_ERR_FILE_UNREADABLE
 */
export async function connectHdfsStore(host: Host, { uri, principal, keytab }: HdfsStoreLocation): Promise<Store> {
  const conf = orThrow(readHadoopConf(host, { directories: hadoopDirectories(host), overrides: new Map() }));
  const address = orThrow(hdfsAddressOf(uri, conf));
  const path = hdfsPathOf(uri);
  if (path === "" || path === "/") throw new Error(`${uri} names no directory`);
  const login = principal === undefined || keytab === undefined ? undefined : { principal, keytab };
  const access = await openAccess(host, { conf, login });
  try {
    const store = await openHdfsStore(host, openWebHdfs(host, { address, ...access }), path);
    return { ...store, close: access.close };
  } catch (error) {
    access.close();
    throw error;
  }
}
