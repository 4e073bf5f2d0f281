/** Families in which every key is meant for somebody whom we know. */
export const checkedPrefixes = { kubernetes: "spark.kubernetes.", firesteel: "spark.firesteel." } as const;

/** Spark's own families of which nobody here reads anything, so that no setting of ours is meant by a key in them. */
export const uncheckedPrefixes = [
  ...["spark.eventLog.", "spark.hadoop.", "spark.history.", "spark.metrics."],
  ...["spark.network.", "spark.shuffle.", "spark.sql."],
] as const;

/** Beginnings of keys that most submissions give, and of none that Spark keeps for old times' sake. */
export const currentPrefixes = [
  ...["spark.app.", "spark.driver.", "spark.eventLog.", "spark.firesteel.", "spark.hadoop.", "spark.jars"],
  ...["spark.kubernetes.", "spark.master", "spark.submit.", "spark.dynamicAllocation."],
  ...["spark.executor.cores", "spark.executor.instances", "spark.executor.memory"],
] as const;
