import type { Host } from "../../../host/host.ts";
import { sparkLog } from "../../../host/log.ts";
import type { KubeResource } from "../../../kube/types.ts";
import type { CommandLineSettings } from "../../../plan/invocation.ts";
import type { SubmitContext } from "../../master-strategy.ts";
import { withClient } from "../connect/with-client.ts";
import { type AppliedObject, applyObjects } from "./apply-objects.ts";

interface SetupRequest extends Pick<SubmitContext, "openClient" | "openEmbedded"> {
  readonly host: Host;
  /** Master, settings of the connection. */
  readonly commandLine: CommandLineSettings;
  readonly objects: readonly KubeResource[];
  readonly report: (applied: AppliedObject) => void;
  readonly command: string;
}

/**
 * Applies the objects of a namespace to the cluster of the settings.
 *
 * @throws SUBMIT_ERR_SETUP_FORBIDDEN, SUBMIT_ERR_MASTER_PREFIX, SUBMIT_ERR_MASTER_SCHEME, and what connecting throws
 */
export async function setUpNamespace(request: SetupRequest): Promise<void> {
  const call = { ...request, log: sparkLog(request.host, "WARN") };
  await withClient(call, { entries: [] }, ({ client }) => applyObjects({ ...request, client }));
}
