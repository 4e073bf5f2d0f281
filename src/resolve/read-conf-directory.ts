import { home } from "../conf/entries/app.ts";
import type { SparkConf } from "../conf/spark-conf.ts";
import { failure, type Result, success } from "../errors/issue.ts";
import { messageOf } from "../errors/submit-error.ts";
import type { Host } from "../host/host.ts";
import { isShippedConfFile, maxConfFileBytes } from "../plan/conf-files.ts";
import type { ConfDirectory, ConfFile } from "../plan/facts.ts";
import { decodeUtf8 } from "../values/utf8.ts";
import { confDirectoryPath } from "./spark-env.ts";

/**
 * Reads the configuration directory: SPARK_CONF_DIR, else `conf` of SPARK_HOME, else `conf` of `spark.home`.
 *
 * Reads only the files that are shipped to the driver. Errors: SUBMIT_ERR_CONF_FILE. Source: Spark KubernetesClientUtils and the scripts
 * that start it.
 */
export function readConfDirectory(host: Host, conf: SparkConf): Result<ConfDirectory | undefined> {
  const sparkHome = conf.get(home);
  const path = confDirectoryPath(host) ?? (sparkHome === undefined ? undefined : `${sparkHome}/conf`);
  const names = path === undefined ? undefined : host.files.list(path);
  if (path === undefined || names === undefined) return success(undefined);
  const files: ConfFile[] = [];
  for (const name of names.filter(isShippedConfFile)) {
    const read = readConfFile(host, path, name);
    if (!read.ok) return read;
    if (read.value !== undefined) files.push(read.value);
  }
  return success({ path, files });
}

function readConfFile({ files }: Host, directory: string, name: string): Result<ConfFile | undefined> {
  const path = `${directory}/${name}`;
  try {
    const info = files.info(path);
    if (info?.kind !== "file" || info.sizeBytes > maxConfFileBytes) return success(undefined);
    const bytes = files.readBytes(path);
    if (bytes === undefined) return success(undefined);
    return success({ name, sizeBytes: info.sizeBytes, text: decodeUtf8(bytes) });
  } catch (error) {
    return failure("SUBMIT_ERR_CONF_FILE", { path, reason: messageOf(error) });
  }
}
