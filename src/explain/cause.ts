import type { SettingOrigin } from "../conf/setting.ts";
import type { SparkLine } from "../conf/spark-version.ts";

/** An input of a submission on which a field depends. */
export type Cause =
  | { readonly kind: "setting"; readonly key: string; readonly value: string; readonly origin: SettingOrigin }
  /** A setting that is not set. `value` is its default; `undefined` if it has none. */
  | { readonly kind: "default"; readonly key: string; readonly value: string | undefined }
  /** An argument of the command line that is not a setting: `main class`, `application arguments`. */
  | { readonly kind: "argument"; readonly what: string }
  | { readonly kind: "variable"; readonly name: string }
  /** A property of this machine: its user, a directory. */
  | { readonly kind: "machine"; readonly what: string }
  /** Generated for each submission: `application ID`. */
  | { readonly kind: "generated"; readonly what: string }
  | { readonly kind: "version"; readonly text: string }
  /** A difference between the lines of Spark: since `line`; up to `before`, the field was different or absent. */
  | { readonly kind: "release"; readonly line: SparkLine; readonly before: SparkLine };

/** Returns the name of a cause, which also identifies it among those of its kind. */
export function nameOfCause(cause: Cause): string {
  switch (cause.kind) {
    case "setting":
    case "default":
      return cause.key;
    case "argument":
    case "machine":
    case "generated":
      return cause.what;
    case "variable":
      return cause.name;
    case "version":
      return `Spark ${cause.text}`;
    case "release":
      return `Spark ${cause.line}`;
  }
}
