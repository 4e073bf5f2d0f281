import { namespace as namespaceEntry } from "../../../conf/entries/submission.ts";
import { resourceTypes } from "../../../kube/resources.ts";
import { statusOf } from "../../../kube/status.ts";
import type { Pod } from "../../../kube/types.ts";
import { withStagedDependencies } from "./stage-dependencies.ts";
import type { Staging, StagingCall } from "./transfer/staging.ts";

/** Stages the local dependencies of a driver with the chosen transport, and creates the driver. */
export async function withStaging(call: StagingCall, create: Parameters<Staging>[0]): Promise<Pod> {
  const { driver, resources } = call;
  const { uploads, localized } = driver.staged;
  const { behaviors } = driver;
  if (behaviors.apiCheck === "beforeUpload") await requireApi(call);
  if (localized === undefined || localized.transport === "secret")
    return withStagedDependencies({ ...call, uploads, owner: driver, behaviors }, () => create(resources));
  const { transferFiles } = await import("./transfer/transfer-files.ts");
  const { fileTransportOf } = await import("./transports/file-transports.ts");
  return transferFiles({ ...call, localized }, await fileTransportOf(localized.transport, localized.remote), create);
}

/**
 * Checks the connection and the credentials before anything is sent. Other errors of the API, such as 403 and 404, do not
 * matter here: the creation of objects reports them.
 *
 * @throws SUBMIT_ERR_KUBE_… if the API cannot be reached or trusted, or responds with 401
 */
async function requireApi({ client, driver: { conf, podName }, signal }: StagingCall): Promise<void> {
  const namespace = conf.get(namespaceEntry);
  try {
    await client.get({ type: resourceTypes.pod, namespace, name: podName, ...(signal && { signal }) });
  } catch (error) {
    const status = statusOf(error)?.code;
    if (status === undefined || status === 401) throw error;
  }
}
