import { namespace as namespaceEntry } from "../../../conf/entries/submission.ts";
import { resourceTypes } from "../../../kube/resources.ts";
import { statusOf } from "../../../kube/status.ts";
import type { Pod } from "../../../kube/types.ts";
import { withStagedDependencies } from "./stage-dependencies.ts";
import type { Staging, StagingCall } from "./transfer/staging.ts";

/** Stages the local dependencies of a driver in the way that was chosen, and creates it. */
export async function withStaging(call: StagingCall, create: Parameters<Staging>[0]): Promise<Pod> {
  const { host, log, driver, resources, behaviors, signal } = call;
  const { uploads, localized } = driver.staged;
  if (behaviors.apiCheck === "beforeUpload") await requireApi(call);
  if (localized === undefined || localized.transport === "secret")
    return withStagedDependencies({ host, log, uploads, owner: driver, behaviors, signal }, () =>
      create(resources),
    );
  const { transferFiles } = await import("./transfer/transfer-files.ts");
  const { fileTransports } = await import("./transports/file-transports.ts");
  return transferFiles({ ...call, localized }, await fileTransports[localized.transport](), create);
}

/** Else an API that cannot be reached or trusted, or does not know us, is found only when all is sent. Refusals of other kinds are for what creates. */
async function requireApi({ client, driver: { conf, podName }, signal }: StagingCall): Promise<void> {
  const namespace = conf.get(namespaceEntry);
  try {
    await client.get({ type: resourceTypes.pod, namespace, name: podName, ...(signal && { signal }) });
  } catch (error) {
    const answered = statusOf(error)?.code;
    if (answered === undefined || answered === 401) throw error;
  }
}
