import { localizingNames } from "../../../../plan/localizing-names.ts";
import { localizingFiles } from "../../../../plan/transports/localizing-files.ts";
import { localizingConfig } from "../transfer/localizing-data.ts";
import type { FileTransport, TransferCall, TransferResult } from "../transfer/transfer-files.ts";
import { remoteUrls } from "./remote-urls.ts";

/**
 * Extends a transport by the remote files that the init container fetches: checks that they exist, and gives it their URLs, which
 * can grant access, in its Secret.
 *
 * @throws SUBMIT_ERR_STAGING_REMOTE_FILE, SUBMIT_ERR_HADOOP_…, SUBMIT_ERR_INTERRUPTED, what the transport throws
 */
export function withRemoteFiles(transport: FileTransport): FileTransport {
  return async (call) => {
    const remote = await remoteUrls(call, call.localized.remote);
    let transferred: TransferResult;
    try {
      transferred = await transport(call);
    } catch (error) {
      await remote.withdraw();
      remote.close();
      throw error;
    }
    const { secret } = localizingNames(call.driver);
    const key = `Secret/${secret}`;
    const own = { [localizingFiles.remoteUrls]: Buffer.from(JSON.stringify(remote.urls)).toString("base64") };
    return {
      ...transferred,
      data: { ...transferred.data, [key]: { ...transferred.data[key], ...own } },
      async withdraw() {
        await remote.withdraw();
        return transferred.withdraw();
      },
      close() {
        remote.close();
        transferred.close();
      },
    };
  };
}

/** Transport of a submission that has only remote files. */
export async function transferNothing(call: TransferCall) {
  return { data: localizingConfig(call, undefined, undefined), withdraw: async () => [], close() {} };
}
