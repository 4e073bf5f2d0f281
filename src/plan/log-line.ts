/** Something that planning or building has to tell, as Spark prints it at that point. */
export interface LogLine {
  readonly level: "INFO" | "WARN" | "ERROR";
  /** Class name that Apache's client shows, e.g. `KubernetesClientUtils`. */
  readonly logger: string;
  readonly text: string;
}
