/** Settings that only the driver reads. Firesteel names them in hints. */
export const named = {
  driverMaxResultSize: "spark.driver.maxResultSize",
  eventLogDir: "spark.eventLog.dir",
  eventLogEnabled: "spark.eventLog.enabled",
  executorAccount: "spark.kubernetes.authenticate.executor.serviceAccountName",
  executorJavaOptions: "spark.executor.extraJavaOptions",
  executorMaxFailures: "spark.executor.maxNumFailures",
  executorMemoryOverhead: "spark.executor.memoryOverhead",
  executorNodeSelector: "spark.kubernetes.executor.node.selector.",
  metastoreUris: "spark.hadoop.hive.metastore.uris",
  s3Endpoint: "spark.hadoop.fs.s3a.endpoint",
} as const;
