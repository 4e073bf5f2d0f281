/** The primary resource of an application, and the language that its name tells. */
export interface AppResource {
  readonly kind: "java" | "python" | "r";
  /**
   * What goes to the driver: a URI, or `spark-internal` when there is none or when the jar travels in `spark.jars`.
   * Shape: `local:///opt/app.jar`, `https://host/app.py`, `file:/home/me/app.jar`.
   */
  readonly uri: string;
}
