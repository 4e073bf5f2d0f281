import type { Behaviors } from "../../../conf/behaviors.ts";
import type { SparkLineTraits } from "../../../conf/spark-version.ts";
import type { Host } from "../../../host/host.ts";
import type { Log } from "../../../host/log.ts";
import type { KubeResource, Pod } from "../../../kube/types.ts";
import type { KubeClient } from "../../../kube-client/client.ts";
import type { Interruption } from "../../interruption.ts";
import type { UploadsRemoval } from "../stage/uploads/remove-uploads.ts";
import type { TimeLimits } from "./enforce-time-limits.ts";

/** What the user wants while a driver is waited for. */
export interface WaitOptions extends TimeLimits {
  /** Ms between two status lines; asked only when Spark asks, and may throw. */
  readonly reportIntervalMs: () => number;
  readonly logs: "none" | "driver" | "all";
  /** An interrupt deletes the driver. */
  readonly killOnInterrupt: boolean;
  /** A driver that cannot start is given up at once. */
  readonly failFast: boolean;
}

/** A driver that exists, and how it is waited for. */
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
  /** Who can remove the driver's uploads at its end, where its pod says so. @default they stay */
  readonly uploader?: Pick<UploadsRemoval, "host" | "owner"> | undefined;
  /** The objects of the submission, for the driver's settings among them; read from the cluster when they are not known. */
  readonly resources?: readonly KubeResource[] | undefined;
}
