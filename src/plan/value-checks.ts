import type { SparkConf } from "../conf/spark-conf.ts";
import type { DriverCheck } from "./driver-conf.ts";
import { invalidLabelIssues } from "./invalid-labels.ts";
import { invalidValueIssues } from "./invalid-values.ts";

/** Returns the checks of values that an API would reject, and Spark does not check. */
export function valueChecks(conf: SparkConf): readonly DriverCheck[] {
  return [() => invalidValueIssues(conf), invalidLabelIssues];
}
