import { firesteelSubmissionToken } from "../../conf/entries/firesteel.ts";
import { abortSignalOf } from "../../errors/stop-signal.ts";
import type { Pod } from "../../kube/types.ts";
import { type ApplyCall, applyManifests } from "./create/apply-manifests.ts";
import type { Staging, StagingCall } from "./stage/transfer/staging.ts";

type DriverCreation = ApplyCall & Pick<StagingCall, "host" | "driver" | "userSteps" | "onEarlyEnd">;

/**
 * Creates a driver with its objects and stages its files. With a submission token, adopts an existing driver instead.
 *
 * @throws what `applyManifests`, `submitOnce` and `withStaging` throw; all created objects are rolled back
 */
export async function createDriver(creation: DriverCreation): Promise<Pod> {
  const { host, driver, manifests, signal } = creation;
  const { resources } = manifests;
  const { uploads, localized } = driver.staged;
  const call = () => ({ ...creation, resources, signal: signal && abortSignalOf(signal) });
  const staged: Staging = async (create) => {
    // Without local files, or if they fit into a Secret, there is nothing to stage.
    if (uploads.length === 0 && (localized?.transport ?? "secret") === "secret") return create(resources);
    const { withStaging } = await import("./stage/with-staging.ts");
    return withStaging(call(), create);
  };
  const resume = async (pod: Pod) => {
    if (localized === undefined) return pod;
    const { resumeStaging } = await import("./stage/transports/file-transports.ts");
    return resumeStaging({ ...call(), localized }, pod);
  };
  const token = driver.conf.get(firesteelSubmissionToken);
  if (token === undefined)
    return staged((completed) => applyManifests({ ...creation, manifests: { ...manifests, resources: completed } }));
  const { submitOnce } = await import("./submission-token/submit-once.ts");
  return submitOnce({ ...creation, token, attempt: host.random.uuid(), staged, resume });
}
