import { isSubmitError, messageOf, submitError } from "../../../../errors/submit-error.ts";
import { allOrAbort } from "../../../../net/all-or-abort.ts";
import { limiter } from "../../../../net/limiter.ts";
import type { RemoteEntry } from "../../../../plan/localized-dependencies.ts";
import { submissionHadoopConf } from "../../../../resolve/submission-hadoop-conf.ts";
import type { TransferCall } from "../transfer/transfer-files.ts";
import type { RemoteFileSystem } from "./remote-file-system.ts";

const maxConcurrentFiles = 4;

/**
 * Returns the URLs with which the init container can fetch remote files: one per file, or the URLs of all NameNodes of an HDFS.
 * Checks with the submitter's credentials that the files of buckets and HDFS exist.
 *
 * @throws SUBMIT_ERR_STAGING_REMOTE_FILE, SUBMIT_ERR_HADOOP_…, SUBMIT_ERR_INTERRUPTED
 */
export async function remoteUrls(
  call: TransferCall,
  entries: readonly RemoteEntry[],
): Promise<readonly (readonly string[])[]> {
  const opened = new Map<string, Promise<RemoteFileSystem>>();
  const fileSystemOf = (uri: string) => {
    const scheme = uri.slice(0, uri.indexOf(":"));
    const fileSystem = opened.get(scheme) ?? openFileSystem(call, scheme);
    opened.set(scheme, fileSystem);
    return fileSystem;
  };
  const limited = limiter(maxConcurrentFiles);
  const actions = entries.map(
    (entry) => (signal: AbortSignal) => limited(async () => urlsOf(await fileSystemOf(entry.uri), entry, signal)),
  );
  try {
    return await allOrAbort(call.signal, actions);
  } catch (error) {
    throw call.signal?.aborted === true ? submitError("SUBMIT_ERR_INTERRUPTED", {}) : error;
  } finally {
    for (const fileSystem of opened.values()) (await fileSystem).close();
  }
}

async function openFileSystem({ host, driver }: TransferCall, scheme: string): Promise<RemoteFileSystem> {
  if (scheme === "http" || scheme === "https") return { urlsOf: async (uri) => [uri], close() {} };
  const hadoop = submissionHadoopConf(host, driver.conf);
  if (scheme === "s3a") return (await import("./remote-s3a.ts")).remoteS3a(host, hadoop, driver.conf);
  return (await import("./remote-hdfs.ts")).remoteHdfs(host, hadoop, driver.proxyUser);
}

async function urlsOf(
  fileSystem: RemoteFileSystem,
  { uri, shown }: RemoteEntry,
  signal: AbortSignal,
): Promise<readonly string[]> {
  try {
    return await fileSystem.urlsOf(uri.replace(/#.*$/, ""), signal);
  } catch (error) {
    signal.throwIfAborted();
    if (isSubmitError(error)) throw error;
    throw submitError("SUBMIT_ERR_STAGING_REMOTE_FILE", { uri: shown, reason: messageOf(error) }, { cause: error });
  }
}
