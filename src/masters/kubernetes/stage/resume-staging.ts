import type { Pod } from "../../../kube/types.ts";
import type { StagingCall } from "./transfer/staging.ts";
import { resumptions } from "./transports/file-transports.ts";

/** Goes on with what another attempt at the same submission began to stage for a pod that waits for it. */
export async function resumed(call: StagingCall, pod: Pod): Promise<Pod> {
  const { localized } = call.driver.staged;
  if (localized === undefined) return pod;
  const resumption = await resumptions[localized.transport]?.();
  return resumption === undefined ? pod : resumption({ ...call, localized }, pod);
}
