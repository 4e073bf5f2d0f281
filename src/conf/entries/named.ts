/** Settings that only the driver reads: we never do, and name them where we say what to change. */
export const named = {
  eventLogDir: "spark.eventLog.dir",
  executorAccount: "spark.kubernetes.authenticate.executor.serviceAccountName",
  executorJavaOptions: "spark.executor.extraJavaOptions",
  executorMaxFailures: "spark.executor.maxNumFailures",
  executorMemoryOverhead: "spark.executor.memoryOverhead",
  executorNodeSelector: "spark.kubernetes.executor.node.selector.",
} as const;
