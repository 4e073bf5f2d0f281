import type { SparkLine } from "../conf/spark-version.ts";

/** Settings of a line. */
export type SparkSettings<Line extends SparkLine = SparkLine> = Line extends SparkLine
  ? { readonly [key: `spark.${string}`]: string | number | boolean | readonly string[] }
  : never;
