import type { SettingOrigin } from "../conf/setting.ts";

/** An input of a submission that can determine a field. */
export type Cause =
  | { readonly kind: "setting"; readonly key: string; readonly value: string; readonly origin: SettingOrigin }
  /** An argument of the command line that is not a setting: `main class`, `application arguments`. */
  | { readonly kind: "word"; readonly what: string }
  | { readonly kind: "variable"; readonly name: string }
  /** A property of this machine: its user, a directory. */
  | { readonly kind: "machine"; readonly what: string }
  /** Generated for each submission: `application id`. */
  | { readonly kind: "chance"; readonly what: string }
  /** The release line of Spark: up to `before`, the field has another value. */
  | { readonly kind: "release"; readonly line: string; readonly before: string };

/** Returns the name of a cause, which also identifies it. */
export function nameOfCause(cause: Cause): string {
  switch (cause.kind) {
    case "setting":
      return cause.key;
    case "word":
    case "machine":
    case "chance":
      return cause.what;
    case "variable":
      return cause.name;
    case "release":
      return `Spark ${cause.line}`;
  }
}
