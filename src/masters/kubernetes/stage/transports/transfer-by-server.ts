import { stagingServerInternalUrl } from "../../../../conf/entries/localizing.ts";
import { type Issue, issue } from "../../../../errors/issue.ts";
import { submitError } from "../../../../errors/submit-error.ts";
import { showProgress } from "../../../../host/progress.ts";
import { appSelectorLabel, roleLabel } from "../../../../plan/labels.ts";
import { localizingPath } from "../../../../plan/transports/localizing-files.ts";
import type { BundleReceipt } from "../../../../staging-client/protocol.ts";
import type { StagingClient } from "../../../../staging-client/staging-client.ts";
import { localizingConfig, localizingSecret } from "../transfer/localizing-data.ts";
import type { TransferCall, TransferResult } from "../transfer/transfer-files.ts";
import { openStagingServer } from "./open-staging-server.ts";

/**
 * Sends the files of a driver to the staging server.
 *
 * @throws SUBMIT_ERR_STAGING_REJECTED, SUBMIT_ERR_STAGING_UNREACHABLE, SUBMIT_ERR_STAGED_FILE_CHANGED, SUBMIT_ERR_FILE_UNREADABLE,
 *   SUBMIT_ERR_INTERRUPTED
 */
export async function transferByServer(call: TransferCall): Promise<TransferResult> {
  const { host, driver, signal } = call;
  const { client, url, authority } = openStagingServer(host, driver.conf, signal);
  try {
    const { internalUrl } = await client.info();
    const receipt = await stageAll(call, client);
    const { bundleId } = receipt;
    const server = driver.conf.get(stagingServerInternalUrl) ?? internalUrl ?? url;
    const source = { kind: "bundle", server, bundleId, tokenFile: localizingPath("token") } as const;
    const config = localizingConfig(call, source, authority);
    return {
      data: { ...config, ...localizingSecret(driver, "token", receipt.token) },
      withdraw: () => rollBack(client, url, receipt),
      close: () => client.close(),
    };
  } catch (error) {
    client.close();
    throw signal?.aborted === true ? submitError("SUBMIT_ERR_INTERRUPTED", {}) : error;
  }
}

async function stageAll({ host, driver, localized }: TransferCall, client: StagingClient): Promise<BundleReceipt> {
  const { namespace, appId } = driver;
  const transfer = showProgress(host).transfer("files of this machine");
  try {
    return await client.stage({
      files: localized.entries,
      owner: { namespace, labels: { [appSelectorLabel]: appId, [roleLabel]: "driver" }, type: "Pod" },
      onProgress: ({ bytes, totalBytes }) => transfer.update(bytes, totalBytes),
    });
  } finally {
    transfer.end();
  }
}

async function rollBack(
  client: StagingClient,
  server: string,
  { bundleId, expiresAt }: BundleReceipt,
): Promise<readonly Issue[]> {
  const isDeleted = await client.deleteBundle(bundleId);
  return isDeleted ? [] : [issue("SUBMIT_ERR_STAGING_CLEANUP_INCOMPLETE", { bundleId, server, expiresAt })];
}
