/** Prefixes under which Firesteel knows every key that exists. */
export const checkedPrefixes = { kubernetes: "spark.kubernetes.", firesteel: "spark.firesteel." } as const;

/** Prefixes of Spark's own settings that Firesteel never reads, so that a key under them is not a misspelled one. */
export const uncheckedPrefixes = [
  ...["spark.eventLog.", "spark.hadoop.", "spark.history.", "spark.metrics."],
  ...["spark.network.", "spark.sql."],
] as const;

/** Prefixes of common keys that no deprecated key of Spark has. */
export const currentPrefixes = [
  ...["spark.app.", "spark.driver.", "spark.eventLog.", "spark.firesteel.", "spark.hadoop.", "spark.jars"],
  ...["spark.kubernetes.", "spark.master", "spark.submit.", "spark.dynamicAllocation."],
  ...["spark.executor.cores", "spark.executor.instances", "spark.executor.memory", "spark.sql.shuffle."],
] as const;
