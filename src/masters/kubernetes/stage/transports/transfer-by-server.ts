import {
  stagingInitTimeout,
  stagingServer,
  stagingServerAuthority,
  stagingServerInternalUrl,
  stagingServerToken,
} from "../../../../conf/entries/localizing.ts";
import { type Issue, issue } from "../../../../errors/issue.ts";
import { submitError } from "../../../../errors/submit-error.ts";
import { cacheDirectory } from "../../../../host/cache-directory.ts";
import { showProgress } from "../../../../host/progress.ts";
import { appSelectorLabel, roleLabel } from "../../../../plan/labels.ts";
import { localizingFiles, localizingNames, localizingPath } from "../../../../plan/localizing-names.ts";
import type { LocalizeConfig } from "../../../../staging-client/localize-config.ts";
import type { BundleReceipt } from "../../../../staging-client/protocol.ts";
import { type StagingClient, stagingClient } from "../../../../staging-client/staging-client.ts";
import type { TransferCall, TransferResult } from "../transfer/transfer-files.ts";
import { readNamedFile } from "./read-named-file.ts";

/** A staged bundle with the address at which the pod fetches it. */
interface StagedBundle extends BundleReceipt {
  /** URL of the staging server for the pods. */
  readonly server: string;
  /** PEM. */
  readonly authority: string | undefined;
}

/**
 * Sends the files of a driver to the staging server.
 *
 * @throws SUBMIT_ERR_STAGING_REJECTED, SUBMIT_ERR_STAGING_UNREACHABLE, SUBMIT_ERR_STAGED_FILE_CHANGED, SUBMIT_ERR_FILE_UNREADABLE,
 *   SUBMIT_ERR_INTERRUPTED
 */
export async function transferByServer(call: TransferCall): Promise<TransferResult> {
  const { host, driver, signal } = call;
  const url = driver.conf.get(stagingServer) ?? "";
  const authority = readNamedFile(host, driver.conf, stagingServerAuthority);
  const token = readNamedFile(host, driver.conf, stagingServerToken)?.trim();
  const cachePath = `${cacheDirectory(host)}/staging`;
  const client = stagingClient(host, { url, authority, token, cachePath, signal });
  try {
    const bundle = await stageAll(call, client, { url, authority });
    const withdraw = () => rollBack(client, url, bundle);
    return { data: contents(call, bundle), withdraw, close: () => client.close() };
  } catch (error) {
    client.close();
    throw signal?.aborted === true ? submitError("SUBMIT_ERR_INTERRUPTED", {}) : error;
  }
}

async function stageAll(
  { host, driver, localized }: TransferCall,
  client: StagingClient,
  { url, authority }: { readonly url: string; readonly authority: string | undefined },
): Promise<StagedBundle> {
  const { conf, namespace, appId } = driver;
  const { internalUrl } = await client.info();
  const transfer = showProgress(host).transfer("files of this machine");
  try {
    const receipt = await client.stage({
      files: localized.entries,
      owner: { namespace, labels: { [appSelectorLabel]: appId, [roleLabel]: "driver" }, type: "Pod" },
      onProgress: ({ bytes, totalBytes }) => transfer.update(bytes, totalBytes),
    });
    return { ...receipt, server: conf.get(stagingServerInternalUrl) ?? internalUrl ?? url, authority };
  } finally {
    transfer.end();
  }
}

async function rollBack(
  client: StagingClient,
  server: string,
  { bundleId, expiresAt }: StagedBundle,
): Promise<readonly Issue[]> {
  const isDeleted = await client.deleteBundle(bundleId);
  return isDeleted ? [] : [issue("SUBMIT_ERR_STAGING_CLEANUP_INCOMPLETE", { bundleId, server, expiresAt })];
}

/** Returns the data of the objects that contain the address and the token of the bundle. */
function contents({ driver, localized }: TransferCall, bundle: StagedBundle): TransferResult["data"] {
  const { configMap, secret } = localizingNames(driver);
  const { server, bundleId, token, authority } = bundle;
  const authorityFile = authority === undefined ? {} : { authorityFile: localizingPath("authority") };
  const config: LocalizeConfig = {
    directory: localized.directory,
    sources: [{ kind: "bundle", server, bundleId, tokenFile: localizingPath("token"), ...authorityFile }],
    timeoutSeconds: driver.conf.get(stagingInitTimeout),
  };
  return {
    [`ConfigMap/${configMap}`]: {
      [localizingFiles.config]: JSON.stringify(config, undefined, 2),
      ...(authority === undefined ? {} : { [localizingFiles.authority]: authority }),
    },
    [`Secret/${secret}`]: { [localizingFiles.token]: Buffer.from(token).toString("base64") },
  };
}
