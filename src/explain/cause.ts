import type { SettingOrigin } from "../conf/setting.ts";

/** One thing that a submission was told, found or drew, and that may decide a field. */
export type Cause =
  | { readonly kind: "setting"; readonly key: string; readonly value: string; readonly origin: SettingOrigin }
  /** A word of the command line that is no setting: `main class`, `application arguments`. */
  | { readonly kind: "word"; readonly what: string }
  | { readonly kind: "variable"; readonly name: string }
  /** Something of this machine: its user, a folder. */
  | { readonly kind: "machine"; readonly what: string }
  /** Made anew for each submission: `application id`. */
  | { readonly kind: "chance"; readonly what: string }
  /** The release line of Spark: up to `before`, the field was otherwise. */
  | { readonly kind: "release"; readonly line: string; readonly before: string };

/** What a cause is called: for people, and to tell causes apart. */
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
