import { failure, type Result, success } from "../errors/issue.ts";
import type { HadoopConf } from "../values/hadoop-conf.ts";

/** Address of an HDFS: its URI and its WebHDFS servers. */
export interface HdfsAddress {
  /** Prefix of its files' URIs, e.g. `hdfs://nameservice1`. */
  readonly uri: string;
  /** Each of its NameNodes, e.g. `http://namenode1:9870`. One of them is active. */
  readonly servers: readonly string[];
}

const defaultPorts = { http: 9870, https: 9871 };

/** Returns the URI of the default file system, e.g. `hdfs://nameservice1`. */
export function defaultFileSystem(conf: HadoopConf): string {
  return conf.get("fs.defaultFS") ?? conf.get("fs.default.name") ?? "file:///";
}

/**
 * Returns the WebHDFS addresses of a URI's NameNodes: those of its nameservice, else that of its host.
 *
 * Shape: `hdfs://nameservice1/…`, `hdfs://host:8020/…`, `webhdfs://host:9870/…`, `swebhdfs://host:9871/…`.
 * Errors: SUBMIT_ERR_HADOOP_FILE_SYSTEM. Source: Hadoop hdfs-default.xml; DFSUtil.
 */
export function hdfsAddressOf(uri: string, conf: HadoopConf): Result<HdfsAddress> {
  const refuse = (reason: string) => failure("SUBMIT_ERR_HADOOP_FILE_SYSTEM", { uri, reason });
  const [, scheme, written] = /^(hdfs|webhdfs|swebhdfs):\/\/([^/?#]*)/.exec(uri) ?? [];
  if (scheme === undefined || written === undefined) return refuse("only hdfs:, webhdfs: and swebhdfs: are supported");
  if (!conf.getBoolean("dfs.webhdfs.enabled", true))
    return refuse("dfs.webhdfs.enabled is false, and no other HDFS protocol is supported");
  const authority = written === "" ? (/^\w+:\/\/([^/]*)/.exec(defaultFileSystem(conf))?.[1] ?? "") : written;
  const [, host, port] = /^(.+?)(?::(\d+))?$/.exec(authority) ?? [];
  if (host === undefined) return refuse("neither it nor fs.defaultFS names a host");
  const isSecure = scheme === "swebhdfs" || conf.get("dfs.http.policy") === "HTTPS_ONLY";
  const address = { uri: `${scheme}://${authority}` };
  if (conf.getList("dfs.nameservices").includes(authority))
    return success({ ...address, servers: ofNameservice(authority, { conf, isSecure }) });
  if (scheme !== "hdfs" && port !== undefined)
    return success({ ...address, servers: [`${protocolOf(isSecure)}://${host}:${port}`] });
  return success({ ...address, servers: [ofHost(host, { conf, isSecure })] });
}

/** Returns the path of a URI as Hadoop parses it: repeated slashes become one. Empty if the URI has none. */
export function hdfsPathOf(uri: string): string {
  const path = uri.replace(/^[^:]+:\/\/[^/]*/, "").replace(/\/+/g, "/");
  return path.replace(/(?<=.)\/$/, "");
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

/** Returns the address of a host's NameNode. An address configured for another host provides only the port. */
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
