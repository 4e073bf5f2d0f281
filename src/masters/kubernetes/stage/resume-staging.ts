import type { Pod } from "../../../kube/types.ts";
import type { StagingCall } from "./transfer/staging.ts";
import { resumptions } from "./transports/file-transports.ts";

/** Resumes the staging that another attempt at the same submission started, for a pod that waits for its files. */
export async function resumeStaging(call: StagingCall, pod: Pod): Promise<Pod> {
  const { localized } = call.driver.staged;
  if (localized === undefined) return pod;
  const resumption = await resumptions[localized.transport]?.();
  return resumption === undefined ? pod : resumption({ ...call, localized }, pod);
}
