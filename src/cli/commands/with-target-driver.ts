import { submitError } from "../../errors/submit-error.ts";
import type { Host } from "../../host/host.ts";
import { sparkLog } from "../../host/log.ts";
import type { withDriver } from "../../masters/kubernetes/with-driver.ts";
import type { OpenClient } from "../../masters/master-strategy.ts";
import { orRunningCluster } from "../default-master.ts";
import { withLauncherEnvironment } from "../environment.ts";
import { parseCommandLineSettings } from "../parse-command-line-settings.ts";
import { withRunningCluster } from "../with-running-cluster.ts";
import type { Target } from "./operation-target.ts";

type ReachedDriver = Parameters<Parameters<typeof withDriver>[2]>[0];

interface TargetDriverCall {
  /** Name of the command, for errors. */
  readonly command: string;
  readonly target: Pick<Target<never>, "id" | "rest">;
  readonly openClient: OpenClient | undefined;
}

/**
 * Finds the driver that the arguments of a command specify, and calls `use` with a connection to its cluster. Logs warnings only.
 *
 * @throws SUBMIT_ERR_DRIVER_ID_MISSING, and what `withDriver` throws
 */
export async function withTargetDriver<T>(
  host: Host,
  { command, target, openClient }: TargetDriverCall,
  use: (reached: ReachedDriver) => Promise<T>,
): Promise<T> {
  const { id, rest } = target;
  if (id === undefined) throw submitError("SUBMIT_ERR_DRIVER_ID_MISSING", { command });
  const { withDriver } = await import("../../masters/kubernetes/with-driver.ts");
  const machine = await withLauncherEnvironment(host);
  const log = sparkLog(machine, "WARN");
  const commandLine = await orRunningCluster(machine, parseCommandLineSettings(rest));
  return withRunningCluster(machine, (openEmbedded) =>
    withDriver({ host: machine, commandLine, id, openClient, openEmbedded, log }, [], use),
  );
}
