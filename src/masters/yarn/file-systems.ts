import { yarnStagingDir } from "../../conf/entries/yarn.ts";
import type { SparkConf } from "../../conf/spark-conf.ts";
import { orThrow } from "../../errors/submit-error.ts";
import type { HadoopServers } from "../../hadoop/hadoop-call.ts";
import { defaultFileSystem, type HdfsAddress, hdfsAddressOf } from "../../hadoop/name-nodes.ts";
import { openWebHdfs, type WebHdfs } from "../../hadoop/webhdfs.ts";
import type { Host } from "../../host/host.ts";
import type { HadoopConf } from "../../values/hadoop-conf.ts";
import { parseUri } from "../../values/uri.ts";
import { yarnNames } from "./plan/yarn-facts.ts";

/** File systems of a submission: the HDFS of its staging directory, and others that it references. */
export interface FileSystems {
  readonly staging: WebHdfs;
  /** Returns the file system and the path of a URI. @throws SUBMIT_ERR_HADOOP_FILE_SYSTEM */
  readonly of: (uri: string) => { readonly hdfs: WebHdfs; readonly path: string };
}

/** Settings, user and connections of the file systems. */
interface FileSystemsChoice extends Pick<HadoopServers, "user" | "connections" | "signal"> {
  readonly conf: SparkConf;
  readonly hadoop: HadoopConf;
}

/** Opens the file systems of a submission, without a request. @throws SUBMIT_ERR_HADOOP_FILE_SYSTEM */
export function openFileSystems(host: Host, choice: FileSystemsChoice): FileSystems {
  const { conf, hadoop, user, connections, signal } = choice;
  const open = (address: HdfsAddress) => openWebHdfs(host, { address, user, connections, signal });
  const opened = new Map<string, WebHdfs>();
  const of = (uri: string) => {
    const address = orThrow(hdfsAddressOf(uri, hadoop));
    const hdfs = opened.get(address.uri) ?? open(address);
    opened.set(address.uri, hdfs);
    return { hdfs, path: parseUri(uri)?.path ?? "/" };
  };
  const configured = conf.get(yarnStagingDir);
  return {
    of,
    staging: of(configured === undefined ? defaultFileSystem(hadoop) : qualified(configured, hadoop)).hdfs,
  };
}

/** Returns the directory for the files of one application. */
export async function stagingPath(
  { conf, hadoop, user }: Pick<FileSystemsChoice, "conf" | "hadoop" | "user">,
  { staging }: FileSystems,
  appId: string,
): Promise<string> {
  const configured = conf.get(yarnStagingDir);
  const root = configured && (parseUri(qualified(configured, hadoop))?.path ?? "").replace(/\/$/, "");
  const base = root === undefined ? await staging.homeDirectory() : `${root}/${user.proxied ?? user.name}`;
  return `${base}/${yarnNames.staging}/${appId}`;
}

function qualified(uri: string, hadoop: HadoopConf): string {
  return uri.startsWith("/") ? `${defaultFileSystem(hadoop).replace(/\/$/, "")}${uri}` : uri;
}
