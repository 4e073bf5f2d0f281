/** Limits of what runs at the same time; absent ones do not exist. */
export interface Limits {
  readonly maxRunning?: number | undefined;
  readonly maxCores?: number | undefined;
  readonly maxMemoryMiB?: number | undefined;
}

/** Schedulers and queueing systems of the cluster that the gateway can leave admission to. */
export const schedulerKinds = ["kueue", "volcano", "yunikorn"] as const;

/** A queue of a scheduler of the cluster. */
export interface QueueScheduler {
  readonly kind: (typeof schedulerKinds)[number];
  /** Kueue's LocalQueue, Volcano's Queue, or YuniKorn's queue, e.g. `root.nightly`. */
  readonly queue: string;
}

/** A queue. */
export interface QueueRule extends Limits {
  /** Share of the cluster among queues that have waiting applications. */
  readonly weight: number;
  /** Scheduler that decides when its applications run. @default none: the gateway decides */
  readonly scheduler?: QueueScheduler | undefined;
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

/** Returns the schedulers of the cluster by the queues that are left to them. */
export function schedulersOf({ queues }: QueueRules): ReadonlyMap<string, QueueScheduler> {
  return new Map([...queues].flatMap(([name, { scheduler }]) => (scheduler === undefined ? [] : [[name, scheduler]])));
}
