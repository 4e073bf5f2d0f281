/** Limits of what runs at the same time; absent ones do not exist. */
export interface Limits {
  readonly maxRunning?: number | undefined;
  readonly maxCores?: number | undefined;
  readonly maxMemoryMiB?: number | undefined;
}

/** A queue. */
export interface QueueRule extends Limits {
  /** Share of the cluster among queues that have waiting applications. */
  readonly weight: number;
}

/** Rules of admission. */
export interface QueueRules {
  /** By name. Applications that name none are in `default`. */
  readonly queues: ReadonlyMap<string, QueueRule>;
  readonly perUser: Limits;
  readonly perNamespace: Limits;
  readonly total: Limits;
  /** Whether the nodes that exist limit admission: with a cluster autoscaler, waiting pods are what adds nodes. */
  readonly usesNodes: boolean;
}

/** Queue of applications that name none. */
export const defaultQueue = "default";

/** Rules without limits. */
export const noRules: QueueRules = {
  queues: new Map([[defaultQueue, { weight: 1 }]]),
  ...{ perUser: {}, perNamespace: {}, total: {}, usesNodes: false },
};
