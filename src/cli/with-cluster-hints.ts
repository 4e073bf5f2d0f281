import type { SubmitError } from "../errors/submit-error.ts";
import type { Host } from "../host/host.ts";
import type { EmbeddedConnection } from "./embedded.ts";
import { withImageHint } from "./with-image-hint.ts";
import { withKubeconfig } from "./with-kubeconfig.ts";

/** Returns an error with hints about the embedded cluster that was opened, or whose address is that of the master. */
export function withClusterHints(
  host: Host,
  error: SubmitError,
  opened: Pick<EmbeddedConnection, "name" | "location"> | undefined,
): SubmitError {
  return opened === undefined ? withImageHint(host, error) : withKubeconfig(host, error, opened);
}
