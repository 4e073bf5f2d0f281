import { stagingServer, stagingServerAuthority, stagingServerToken } from "../../../../conf/entries/localizing.ts";
import type { SparkConf } from "../../../../conf/spark-conf.ts";
import { cacheDirectory } from "../../../../host/cache-directory.ts";
import type { Host } from "../../../../host/host.ts";
import { type StagingClient, stagingClient } from "../../../../staging-client/staging-client.ts";
import { readNamedFile } from "./read-named-file.ts";

/** The staging server of the settings. */
interface OpenStagingServer {
  readonly client: StagingClient;
  readonly url: string;
  /** PEM of its certificate authorities. */
  readonly authority: string | undefined;
}

/** Opens the staging server of the settings. Sends no request yet. @throws SUBMIT_ERR_FILE_UNREADABLE */
export function openStagingServer(host: Host, conf: SparkConf, signal?: AbortSignal): OpenStagingServer {
  const url = conf.get(stagingServer) ?? "";
  const authority = readNamedFile(host, conf, stagingServerAuthority);
  const token = readNamedFile(host, conf, stagingServerToken)?.trim();
  const cachePath = `${cacheDirectory(host)}/staging`;
  return { client: stagingClient(host, { url, authority, token, cachePath, signal }), url, authority };
}
