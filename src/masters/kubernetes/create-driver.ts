import { firesteelSubmissionToken } from "../../conf/entries/firesteel.ts";
import { abortSignalOf } from "../../errors/stop-signal.ts";
import type { Host } from "../../host/host.ts";
import type { Pod } from "../../kube/types.ts";
import type { DriverConf } from "../../plan/driver-conf.ts";
import type { SubmitRequest } from "../../plan/submit-request.ts";
import { type ApplyCall, applyManifests } from "./create/apply-manifests.ts";
import type { Staging } from "./stage/transfer/staging.ts";

/** Inputs of the creation of a driver. */
export interface DriverCreation extends ApplyCall {
  readonly host: Host;
  readonly driver: DriverConf;
  readonly request: SubmitRequest;
  /** Called if the driver ends before all its files are staged. */
  readonly onEarlyEnd: () => void;
}

/**
 * Creates a driver with its objects and stages its files. With a submission token, adopts an existing driver instead.
 *
 * @throws what `applyManifests`, `submitOnce` and `withStaging` throw; all created objects are rolled back
 */
export async function createDriver(creation: DriverCreation): Promise<Pod> {
  const { host, driver, manifests } = creation;
  const staged: Staging = (apply) => stage(creation, apply);
  const token = driver.conf.get(firesteelSubmissionToken);
  if (token === undefined)
    return staged((resources) => applyManifests({ ...creation, manifests: { ...manifests, resources } }));
  const { submitOnce } = await import("./submission-token/submit-once.ts");
  const resume = (pod: Pod) => resumeStaging(creation, pod);
  return submitOnce({ ...creation, token, attempt: host.random.uuid(), staged, resume });
}

/** Creates the driver and stages its local files, unless it has none or they fit into a Secret. */
async function stage(creation: DriverCreation, create: Parameters<Staging>[0]): Promise<Pod> {
  const { driver, request, signal, manifests } = creation;
  const { uploads, localized } = driver.staged;
  const { resources } = manifests;
  if (uploads.length === 0 && (localized?.transport ?? "secret") === "secret") return create(resources);
  const { withStaging } = await import("./stage/with-staging.ts");
  const stopped = signal && abortSignalOf(signal);
  return withStaging({ ...creation, resources, behaviors: request.behaviors, signal: stopped }, create);
}

async function resumeStaging(creation: DriverCreation, pod: Pod): Promise<Pod> {
  const { driver, request, signal, manifests } = creation;
  if (driver.staged.localized === undefined) return pod;
  const { resumeStaging: resume } = await import("./stage/resume-staging.ts");
  const stopped = signal && abortSignalOf(signal);
  const { resources } = manifests;
  return resume({ ...creation, resources, behaviors: request.behaviors, signal: stopped }, pod);
}
