/**
 * Primary resource of an application, and the language that its name implies.
 *
 * @example
 * ```ts
 * const resource: AppResource = { kind: "python", uri: "local:///opt/app.py" };
 * ```
 */
export interface AppResource {
  readonly kind: "java" | "python" | "r";
  /**
   * URI for the driver, or `spark-internal` when the application has no primary resource or its jar is in `spark.jars`.
   * Shape: `local:///opt/app.jar`, `https://host/app.py`, `file:/home/me/app.jar`.
   */
  readonly uri: string;
}

/** Finds the language of a primary resource by its name, as the user wrote it. Source: Spark SparkSubmit.isPython, isR. */
export function languageOf(resource: string): AppResource["kind"] {
  if (resource.endsWith(".py") || resource === "pyspark-shell") return "python";
  return resource.endsWith(".R") || resource.endsWith(".r") || resource === "sparkr-shell" ? "r" : "java";
}

/** Classes that run applications in languages other than Java. */
export const runnerClasses = {
  python: "org.apache.spark.deploy.PythonRunner",
  r: "org.apache.spark.deploy.RRunner",
} as const;
