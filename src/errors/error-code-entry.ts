/** Who can act on a failure. */
export type ErrorKind =
  | "usage"
  | "setting"
  | "dependency"
  | "template"
  | "cluster"
  | "unreachable"
  | "timeout"
  | "environment"
  | "internal";

/** One row of the catalogue of failures. A code, once released, keeps its meaning for ever. */
export interface ErrorCodeEntry<F> {
  readonly kind: ErrorKind;
  /** The sentence. `spark` wording is that of Apache Spark, word for word. */
  readonly text: (fields: F) => string;
  readonly wording?: "spark";
  /** The exception class Apache Spark names before the text; default `org.apache.spark.SparkException`. */
  readonly javaClass?: string;
  readonly hint?: (fields: F) => string;
  /** What Apache Spark prints after `Caused by: `; the hint tells it otherwise. */
  readonly causes?: (fields: F) => readonly string[];
}

export function define<F>(entry: ErrorCodeEntry<F>): ErrorCodeEntry<F> {
  return entry;
}
