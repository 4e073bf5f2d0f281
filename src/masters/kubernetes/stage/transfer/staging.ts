import type { Behaviors } from "../../../../conf/behaviors.ts";
import type { Host } from "../../../../host/host.ts";
import type { Log } from "../../../../host/log.ts";
import type { KubeResource, Pod } from "../../../../kube/types.ts";
import type { KubeClient } from "../../../../kube-client/client.ts";
import type { DriverConf } from "../../../../plan/driver-conf.ts";

/**
 * Goes round the creation of a driver: what is staged for it, and is taken back when it throws. `create` gets the objects that the
 * driver's pod will own, now complete.
 */
export type Staging = (create: (resources: readonly KubeResource[]) => Promise<Pod>) => Promise<Pod>;

/** What is staged, and who looks at it. */
export interface StagingCall {
  readonly host: Host;
  readonly client: KubeClient;
  readonly log: Log;
  readonly driver: DriverConf;
  /** As planned; those that only staging can complete are not complete. */
  readonly resources: readonly KubeResource[];
  readonly behaviors: Behaviors;
  /** Called when the driver ended before all was staged. */
  readonly onEarlyEnd: () => void;
  readonly signal?: AbortSignal | undefined;
}
