/** Log message of planning or building, as Spark prints it at that point. */
export interface LogLine {
  readonly level: "INFO" | "WARN" | "ERROR";
  /** Class name in the log of Apache's client, e.g. `KubernetesClientUtils`. */
  readonly logger: string;
  readonly text: string;
}
