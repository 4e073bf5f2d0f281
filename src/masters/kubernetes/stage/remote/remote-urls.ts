import { isSubmitError, messageOf, submitError } from "../../../../errors/submit-error.ts";
import { allOrAbort } from "../../../../net/all-or-abort.ts";
import { limiter } from "../../../../net/limiter.ts";
import type { RemoteEntry } from "../../../../plan/localized-dependencies.ts";
import { submissionHadoopConf } from "../../../../resolve/submission-hadoop-conf.ts";
import type { TransferCall } from "../transfer/transfer-files.ts";
import type { RemoteFileSystem } from "./remote-file-system.ts";

const maxConcurrentFiles = 4;

/** URLs of remote files, and the remaining steps. */
interface RemoteUrls {
  /** For each file its URL, or the URLs of all NameNodes of an HDFS. */
  readonly urls: readonly (readonly string[])[];
  /** Invalidates URLs that grant access, if the driver is not created. */
  readonly withdraw: () => Promise<void>;
  readonly close: () => void;
}

/**
 * Returns the URLs with which the init container can fetch remote files. Checks with the submitter's credentials that the files of
 * buckets and HDFS exist.
 *
 * @throws SUBMIT_ERR_STAGING_REMOTE_FILE, SUBMIT_ERR_HADOOP_…, SUBMIT_ERR_INTERRUPTED
 */
export async function remoteUrls(call: TransferCall, entries: readonly RemoteEntry[]): Promise<RemoteUrls> {
  const opened = new Map<string, Promise<RemoteFileSystem>>();
  const usable: RemoteFileSystem[] = [];
  const open = async (scheme: string) => {
    const fileSystem = await openFileSystem(call, scheme);
    usable.push(fileSystem);
    return fileSystem;
  };
  const fileSystemOf = (uri: string) => {
    const scheme = uri.slice(0, uri.indexOf(":"));
    const opening = opened.get(scheme) ?? open(scheme);
    opened.set(scheme, opening);
    return opening;
  };
  const limited = limiter(maxConcurrentFiles);
  const actions = entries.map(
    (entry) => (signal: AbortSignal) => limited(async () => urlsOf(await fileSystemOf(entry.uri), entry, signal)),
  );
  const withdraw = async () => {
    for (const fileSystem of usable) await fileSystem.withdraw?.();
  };
  const close = () => {
    for (const fileSystem of usable) fileSystem.close();
  };
  try {
    const urls = await allOrAbort(call.signal, actions);
    return { urls, withdraw, close };
  } catch (error) {
    await withdraw();
    close();
    throw call.signal?.aborted === true ? submitError("SUBMIT_ERR_INTERRUPTED", {}) : error;
  }
}

async function openFileSystem(call: TransferCall, scheme: string): Promise<RemoteFileSystem> {
  const { host, driver } = call;
  if (scheme === "http" || scheme === "https") return { urlsOf: async (uri) => [uri], close() {} };
  const hadoop = submissionHadoopConf(host, driver.conf);
  if (scheme === "s3a") return (await import("./remote-s3a.ts")).remoteS3a(host, hadoop, driver.conf);
  return (await import("./remote-hdfs.ts")).remoteHdfs(call, hadoop);
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
