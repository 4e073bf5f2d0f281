/** Fields that a SparkApplication must have. */
export const requiredSpec = {
  type: "Scala",
  sparkVersion: "4.0.5",
  mainApplicationFile: "a.jar",
  driver: {},
  executor: {},
} as const;
