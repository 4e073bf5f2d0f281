import { failure, type Result, success } from "../errors/issue.ts";
import type { HadoopConf } from "../values/hadoop-conf.ts";

/** An HDFS as its clients name it, and where its WebHDFS is. */
export interface HdfsAddress {
  /** What URIs of its files begin with, e.g. `hdfs://nameservice1`. */
  readonly uri: string;
  /** Of each of its NameNodes, e.g. `http://namenode1:9870`; one of them is active. */
  readonly servers: readonly string[];
}

const defaultPorts = { http: 9870, https: 9871 };

/** The URI of the default file system, e.g. `hdfs://nameservice1`. */
export function defaultFileSystem(conf: HadoopConf): string {
  return conf.get("fs.defaultFS") ?? conf.get("fs.default.name") ?? "file:///";
}

/**
 * Where the NameNodes of a URI serve WebHDFS: by nameservice, else at the host of the URI.
 *
 * Shape: `hdfs://nameservice1/…`, `hdfs://host:8020/…`, `webhdfs://host:9870/…`, `swebhdfs://host:9871/…`.
 * Errors: SUBMIT_ERR_HADOOP_FILE_SYSTEM. Source: Hadoop hdfs-default.xml; DFSUtil.
 */
export function hdfsAddressOf(uri: string, conf: HadoopConf): Result<HdfsAddress> {
  const refuse = (reason: string) => failure("SUBMIT_ERR_HADOOP_FILE_SYSTEM", { uri, reason });
  const [, scheme, written] = /^(hdfs|webhdfs|swebhdfs):\/\/([^/?#]*)/.exec(uri) ?? [];
  if (scheme === undefined || written === undefined)
    return refuse("only hdfs:, webhdfs: and swebhdfs: are spoken");
  if (!conf.getBoolean("dfs.webhdfs.enabled", true))
    return refuse("dfs.webhdfs.enabled is false, and no other protocol of HDFS is spoken");
  const authority = written === "" ? (/^\w+:\/\/([^/]*)/.exec(defaultFileSystem(conf))?.[1] ?? "") : written;
  const [, host, port] = /^(.+?)(?::(\d+))?$/.exec(authority) ?? [];
  if (host === undefined) return refuse("it names no host, and fs.defaultFS none either");
  const isSecure = scheme === "swebhdfs" || conf.get("dfs.http.policy") === "HTTPS_ONLY";
  const address = { uri: `${scheme}://${authority}` };
  if (conf.getList("dfs.nameservices").includes(authority))
    return success({ ...address, servers: ofNameservice(authority, { conf, isSecure }) });
  if (scheme !== "hdfs" && port !== undefined)
    return success({ ...address, servers: [`${protocolOf(isSecure)}://${host}:${port}`] });
  return success({ ...address, servers: [ofHost(host, { conf, isSecure })] });
}

interface Web {
  readonly conf: HadoopConf;
  readonly isSecure: boolean;
}

function ofNameservice(nameservice: string, { conf, isSecure }: Web): readonly string[] {
  const ids = conf.getList(`dfs.ha.namenodes.${nameservice}`);
  const suffixes = ids.length === 0 ? [nameservice] : ids.map((id) => `${nameservice}.${id}`);
  return suffixes.map((suffix) => {
    const rpcHost = conf.get(`dfs.namenode.rpc-address.${suffix}`)?.replace(/:\d+$/, "") ?? nameservice;
    return serverOf(conf.get(`${webKey(isSecure)}.${suffix}`), rpcHost, isSecure);
  });
}

/** The configured address is that of this NameNode, or tells the port that NameNodes here have. */
function ofHost(host: string, { conf, isSecure }: Web): string {
  const configured = conf.get(webKey(isSecure));
  const isOther = defaultFileSystem(conf).replace(/^\w+:\/\/|[:/].*$/g, "") !== host;
  return serverOf(isOther ? configured?.replace(/^.*(?=:\d+$)/, host) : configured, host, isSecure);
}

function serverOf(configured: string | undefined, host: string, isSecure: boolean): string {
  const [, name = host, port] = /^(.*?)(?::(\d+))?$/.exec(configured ?? host) ?? [];
  const reachable = name === "0.0.0.0" || name === "" ? host : name;
  return `${protocolOf(isSecure)}://${reachable}:${port ?? defaultPorts[protocolOf(isSecure)]}`;
}

function webKey(isSecure: boolean): string {
  return `dfs.namenode.${protocolOf(isSecure)}-address`;
}

function protocolOf(isSecure: boolean): "http" | "https" {
  return isSecure ? "https" : "http";
}
