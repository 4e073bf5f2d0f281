/** Settings of Spark's history server. */
export const history = {
  directory: "spark.history.fs.logDirectory",
  port: "spark.history.ui.port",
  maxRetries: "spark.port.maxRetries",
} as const;
