import type { Event, KubeResource, Pod } from "../kube/types.ts";

/** Facts about one submission at one time: the input of a diagnosis. */
export interface Observation {
  /** Ms since the epoch. */
  readonly now: number;
  /** Settings in the driver's `spark.properties`. */
  readonly properties: Readonly<Record<string, string>>;
  /** Absent if the driver was never created. */
  readonly driver?: ObservedPod | undefined;
  /** Executors that exist or existed, oldest first. */
  readonly executors: readonly ObservedPod[];
  /** Events about the driver, its executors, and the objects that they mount. */
  readonly events: readonly Event[];
  /** Related objects that could be read: nodes, claims, quotas, limit ranges, ConfigMaps without their data. */
  readonly objects: readonly KubeResource[];
  /** Response of the API to a rejected request for an object of the submission. */
  readonly rejection?: Rejection | undefined;
}

/** Pod with the logs of its containers. */
export interface ObservedPod {
  readonly pod: Pod;
  /** Whether the pod no longer exists; `pod` is its last known state. */
  readonly isDeleted: boolean;
  /** Last lines by container, as far as they were read. */
  readonly logs: Readonly<Record<string, readonly LogLine[]>>;
}

/** Line of a container's log. */
export interface LogLine {
  /** Time in ms since the epoch. */
  readonly at: number;
  /** Text without the newline. */
  readonly text: string;
}

/** Rejected request, and the response of the API. */
export interface Rejection {
  readonly method: string;
  /** E.g. `/api/v1/namespaces/default/pods`. */
  readonly path: string;
  readonly status: number;
  /** Kubernetes Status, or the text of another response. */
  readonly body: unknown;
}
