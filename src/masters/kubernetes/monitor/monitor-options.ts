import type { Behaviors } from "../../../conf/behaviors.ts";
import type { SparkLineTraits } from "../../../conf/spark-version.ts";
import type { Host } from "../../../host/host.ts";
import type { Log } from "../../../host/log.ts";
import type { KubeResource, Pod } from "../../../kube/types.ts";
import type { KubeClient } from "../../../kube-client/client.ts";
import type { Interruption } from "../../interruption.ts";
import type { WaitOptions } from "../../wait-options.ts";
import type { UploadsRemoval } from "../stage/uploads/remove-uploads.ts";

/** Inputs of `monitorDriver`: an existing driver, and the options of the wait. */
export interface MonitorOptions {
  readonly host: Pick<Host, "clock" | "random" | "stdout" | "stderr" | "env">;
  readonly client: KubeClient;
  readonly log: Log;
  readonly interrupted: Interruption;
  readonly app: { readonly name: string; readonly id: string };
  readonly pod: Pod;
  /** Name of the driver's container. */
  readonly container: string;
  readonly traits: Pick<SparkLineTraits, "strayBraceInWaitingLine" | "watchNamesPodFirst">;
  readonly behaviors: Behaviors;
  readonly waitOptions: WaitOptions;
  /** Whether to log the pod's fields on a terminal, too. @default false */
  readonly verbose?: boolean | undefined;
  /** Means to remove the driver's uploads after its end, if its pod lists them. @default they are not removed */
  readonly uploader?: Pick<UploadsRemoval, "host" | "owner"> | undefined;
  /** Objects of the submission, which contain the driver's settings. @default read from the cluster */
  readonly resources?: readonly KubeResource[] | undefined;
}
