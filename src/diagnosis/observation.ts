import type { Event, KubeResource, Pod } from "../kube/types.ts";

/** Everything known about one submission at one moment: the input of a diagnosis. */
export interface Observation {
  /** Ms since the epoch. */
  readonly now: number;
  /** The driver's settings, as its `spark.properties` has them. */
  readonly properties: Readonly<Record<string, string>>;
  /** Absent when it was never created. */
  readonly driver?: ObservedPod | undefined;
  /** Executors that exist or existed, the oldest first. */
  readonly executors: readonly ObservedPod[];
  /** Of the namespace: about the driver, its executors, and what they mount. */
  readonly events: readonly Event[];
  /** Related objects that could be read: nodes, claims, quotas, limit ranges, maps without their data. */
  readonly objects: readonly KubeResource[];
  /** The answer of an API that refused to create an object of the submission. */
  readonly rejection?: Rejection | undefined;
}

/** A pod, and what its containers wrote. */
export interface ObservedPod {
  readonly pod: Pod;
  /** It does not exist any more, and this is what was last seen of it. */
  readonly isDeleted: boolean;
  /** Last lines by container, as far as they were read. */
  readonly logs: Readonly<Record<string, readonly LogLine[]>>;
}

/** One line that a container wrote. */
export interface LogLine {
  /** When it was written: ms since the epoch. */
  readonly at: number;
  /** Without its newline. */
  readonly text: string;
}

/** A request that an API refused, and what it said. */
export interface Rejection {
  readonly method: string;
  /** E.g. `/api/v1/namespaces/default/pods`. */
  readonly path: string;
  readonly status: number;
  /** Kubernetes Status, or text where it is not a Status. */
  readonly body: unknown;
}
