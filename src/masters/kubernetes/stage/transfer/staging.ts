import type { Host } from "../../../../host/host.ts";
import type { Log } from "../../../../host/log.ts";
import type { KubeResource, Pod } from "../../../../kube/types.ts";
import type { KubeClient } from "../../../../kube-client/client.ts";
import type { DriverConf } from "../../../../plan/driver-conf.ts";
import type { NamedStep } from "../../../../spec/user-steps/user-step.ts";

/**
 * Wraps the creation of a driver: stages its files before `create`, and rolls that back if `create` throws. `create` gets the
 * completed objects that the driver's pod will own.
 */
export type Staging = (create: (resources: readonly KubeResource[]) => Promise<Pod>) => Promise<Pod>;

/** A driver whose local files are staged. */
export interface StagingCall {
  readonly host: Host;
  readonly client: KubeClient;
  readonly log: Log;
  readonly driver: DriverConf;
  /** Planned objects; staging completes some of them. */
  readonly resources: readonly KubeResource[];
  /** Loaded feature steps of the user. */
  readonly userSteps: readonly NamedStep[];
  /** Called if the driver ends before all its files are staged. */
  readonly onEarlyEnd: () => void;
  readonly signal?: AbortSignal | undefined;
}
