import { yarnFileReplication } from "../../conf/entries/yarn.ts";
import type { SparkConf } from "../../conf/spark-conf.ts";
import { issue } from "../../errors/issue.ts";
import { submitError, throwIssues } from "../../errors/submit-error.ts";
import type { HdfsStatus, HdfsUpload, WebHdfs } from "../../hadoop/webhdfs.ts";
import { fileChunks } from "../../host/file-chunks.ts";
import type { Host } from "../../host/host.ts";
import type { Log } from "../../host/log.ts";
import { fetchRemote, isFetched } from "../../resolve/fetch-remote.ts";
import { nearestFile } from "../../resolve/nearest-file.ts";
import { parseUri } from "../../values/uri.ts";
import type { FileSystems } from "./file-systems.ts";
import type { LocalResource } from "./plan/conf-archive.ts";
import type { DistributedFile } from "./plan/distributed-files.ts";
import { storedZip } from "./stored-zip.ts";

/** Targets and owner of the uploaded files. */
interface Distributing {
  readonly host: Host;
  readonly log: Log;
  readonly conf: SparkConf;
  readonly fileSystems: FileSystems;
  /** Path in the file system of the staging directory. */
  readonly directory: string;
  /** Spark whose jars are uploaded if the cluster has none. */
  readonly sparkHome: string | undefined;
}

/**
 * Uploads all files to where NodeManagers fetch them. Files that are already in HDFS stay there.
 *
 * @throws SUBMIT_ERR_YARN_FILE_MISSING, SUBMIT_ERR_HADOOP_…
 */
export async function distribute(
  distributing: Distributing,
  files: readonly DistributedFile[],
): Promise<readonly LocalResource[]> {
  const { host, fileSystems } = distributing;
  const missing = files.filter((file) => isMissing(host, file));
  throwIssues(
    missing.map(({ shown, uri = "" }) => {
      const nearest = nearestFile(host, localPath(uri));
      return issue("SUBMIT_ERR_YARN_FILE_MISSING", { uri: shown, nearest });
    }),
  );
  const resources: LocalResource[] = [];
  const visibility = visibilityResolver();
  for (const file of files) {
    const { link, type, driverOnly } = file;
    const provide = isInCluster(file, fileSystems) ? useInPlace : upload;
    const { hdfs, path, status } = await provide(distributing, file);
    const resource = { ...resourceOf(hdfs, path, status), link, type, driverOnly };
    resources.push({ ...resource, visibility: await visibility(hdfs, path, status) });
  }
  return resources;
}

/** Uploads the configuration archive. */
export async function uploadConfArchive(
  { log, conf, fileSystems: { staging } }: Distributing,
  { path, content }: Pick<HdfsUpload, "path" | "content">,
): Promise<Pick<LocalResource, "url" | "sizeBytes" | "timestamp">> {
  log("INFO", "Client", `Uploading resource ${path.replace(/^.*\//, "")} -> ${staging.uri}${path}`);
  const status = await write(staging, { path, content, replication: conf.get(yarnFileReplication) });
  return resourceOf(staging, path, status);
}

/** Verifies the size of an uploaded file, because a proxy may report success without storing all bytes. */
async function write(hdfs: WebHdfs, upload: HdfsUpload): Promise<HdfsStatus> {
  await hdfs.create(upload);
  const status = await hdfs.status(upload.path);
  const sizeBytes = sizeOf(upload.content);
  if (status?.sizeBytes === sizeBytes) return status;
  const exception = status === undefined ? "no file" : `${status.sizeBytes} bytes`;
  throw submitError("SUBMIT_ERR_HADOOP_REJECTED", {
    ...{ server: hdfs.uri, what: "write", of: hdfs.uri + upload.path, exception },
    message: `it accepted ${sizeBytes} bytes but did not store them`,
  });
}

function sizeOf(content: HdfsUpload["content"]): number {
  if (content instanceof Uint8Array) return content.length;
  return "chunks" in content ? content.sizeBytes : content.size;
}

function resourceOf({ uri }: WebHdfs, path: string, { sizeBytes, modifiedMs }: HdfsStatus) {
  const url = `${uri}${path.split("/").map(escapeSegment).join("/")}`;
  return { url, sizeBytes, timestamp: modifiedMs };
}

/** Escapes a path segment as Java's URI class does. */
function escapeSegment(segment: string): string {
  return encodeURI(segment).replaceAll("#", "%23").replaceAll("?", "%3F");
}

function isMissing({ files }: Host, { uri }: DistributedFile): boolean {
  return uri?.startsWith("file:") === true && files.info(localPath(uri))?.kind !== "file";
}

function localPath(uri: string): string {
  return parseUri(uri)?.path ?? "";
}

function isInCluster({ uri }: DistributedFile, { staging }: FileSystems): boolean {
  return uri?.startsWith(`${staging.uri}/`) === true || uri?.startsWith("hdfs:///") === true;
}

async function useInPlace({ log, fileSystems }: Distributing, { uri = "", shown }: DistributedFile) {
  log("INFO", "Client", `Source and destination file systems are the same. Not copying ${shown}`);
  const { hdfs, path } = fileSystems.of(uri);
  const status = await hdfs.status(path);
  if (status === undefined) throw submitError("SUBMIT_ERR_YARN_FILE_MISSING", { uri: shown });
  return { hdfs, path, status };
}

async function upload(distributing: Distributing, file: DistributedFile) {
  const { log, conf, fileSystems, directory } = distributing;
  const hdfs = fileSystems.staging;
  const path = `${directory}/${file.name}`;
  log("INFO", "Client", `Uploading resource ${file.shown} -> ${hdfs.uri}${path}`);
  const content = await contentOf(distributing, file);
  const status = await write(hdfs, { path, content, replication: conf.get(yarnFileReplication) });
  return { hdfs, path, status };
}

/** Size limit of a remote file, which is held in memory. */
const maxFetchBytes = 1024 ** 3;

async function contentOf(
  { host, sparkHome }: Distributing,
  { uri, shown }: DistributedFile,
): Promise<HdfsUpload["content"]> {
  if (uri === undefined) return libraries(host, `${sparkHome}/jars`);
  const scheme = parseUri(uri)?.scheme ?? "";
  if (scheme === "file") {
    const path = localPath(uri);
    return { path, offset: 0, size: host.files.info(path)?.sizeBytes ?? 0 };
  }
  if (!isFetched(scheme)) {
    const reason = `Firesteel cannot read ${scheme}: URIs`;
    throw submitError("SUBMIT_ERR_HADOOP_FILE_SYSTEM", { uri: shown, reason });
  }
  const { bytes, isComplete } = await fetchRemote(host, uri, maxFetchBytes);
  if (isComplete) return bytes;
  const reason = "it is larger than 1 GiB; put it into HDFS";
  throw submitError("SUBMIT_ERR_HADOOP_FILE_SYSTEM", { uri: shown, reason });
}

function libraries(host: Host, directory: string) {
  const names = (host.files.list(directory) ?? []).filter((name) => name.toLowerCase().endsWith(".jar"));
  return storedZip(
    names.map((name) => {
      const path = `${directory}/${name}`;
      const sizeBytes = host.files.info(path)?.sizeBytes ?? 0;
      return { name, sizeBytes, chunks: () => fileChunks(host.files, { path, offset: 0, size: sizeBytes }) };
    }),
  );
}

/** Determines visibility: PUBLIC if all users can read a file and enter all its parent directories. Checks each directory once. */
function visibilityResolver() {
  const directories = new Map<string, Promise<boolean>>();
  const isOpen = (hdfs: WebHdfs, directory: string) => {
    const key = `${hdfs.uri}${directory}`;
    const known = directories.get(key) ?? hdfs.status(directory || "/").then((status) => allowsOthers(status, 1));
    directories.set(key, known);
    return known;
  };
  return async (hdfs: WebHdfs, path: string, status: HdfsStatus): Promise<LocalResource["visibility"]> => {
    if (!allowsOthers(status, 4)) return "PRIVATE";
    const parts = path.split("/").slice(0, -1);
    for (let count = parts.length; count > 0; count -= 1)
      if (!(await isOpen(hdfs, parts.slice(0, count).join("/")))) return "PRIVATE";
    return "PUBLIC";
  };
}

/** Returns whether all users have a permission: 4 for read, 1 for enter. */
function allowsOthers(status: HdfsStatus | undefined, bit: number): boolean {
  return status !== undefined && (Number.parseInt(status.permission.slice(-1), 8) & bit) !== 0;
}
