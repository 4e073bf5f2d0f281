/** The primary resource of an application, and the language that its name tells. */
export interface AppResource {
  readonly kind: "java" | "python" | "r";
  /**
   * What goes to the driver: a URI, or `spark-internal` when there is none or when the jar travels in `spark.jars`.
   * Shape: `local:///opt/app.jar`, `https://host/app.py`, `file:/home/me/app.jar`.
   */
  readonly uri: string;
}

/** The language that a primary resource's name tells, as the user wrote it. Source: Spark SparkSubmit.isPython, isR. */
export function languageOf(resource: string): AppResource["kind"] {
  if (resource.endsWith(".py") || resource === "pyspark-shell") return "python";
  return resource.endsWith(".R") || resource.endsWith(".r") || resource === "sparkr-shell" ? "r" : "java";
}

/** The class that runs an application of another language than Java's. */
export const runnerClasses = {
  python: "org.apache.spark.deploy.PythonRunner",
  r: "org.apache.spark.deploy.RRunner",
} as const;
