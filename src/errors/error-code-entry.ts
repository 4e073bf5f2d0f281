/**
 * Cause of a failure, which determines who can act on it.
 *
 * @example
 * ```ts
 * const isTemporary = (kind: ErrorKind) => kind === "unreachable" || kind === "timeout";
 * ```
 */
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

/** Text and properties of one error code. */
export interface ErrorCodeEntry<F> {
  readonly kind: ErrorKind;
  /** Builds the message: what happened, the value, why. With `wording: "spark"`, it is Spark's text word for word. */
  readonly text: (fields: F) => string;
  readonly wording?: "spark";
  /** Exception class that Spark prints before the message. @default `org.apache.spark.SparkException` */
  readonly javaClass?: string;
  /** Builds the instruction for the user, as an imperative. */
  readonly hint?: (fields: F) => string;
  /** Builds the texts that Spark prints after `Caused by: `. Outside of strict mode, the hint contains them. */
  readonly causes?: (fields: F) => readonly string[];
}

/** Returns the entry; infers the type of its functions from `F`. */
export function define<F>(entry: ErrorCodeEntry<F>): ErrorCodeEntry<F> {
  return entry;
}
