import type { CauseName } from "../causes.ts";
import type { Failure } from "../failure.ts";
import type { LogLine } from "../observation.ts";
import type { PodView } from "../pod-view.ts";
import type { Finding } from "../rule.ts";
import type { View } from "../view.ts";

/** What the driver log says, and what that means. */
export interface LogRow {
  readonly cause: CauseName;
  readonly pattern: RegExp;
  /**
   * `failure`: in the exception that ended the driver. `log`: anywhere, as the words are decisive by themselves.
   */
  readonly scope: "failure" | "log";
  /** Decisive while the driver still runs, too, where a line has these words. */
  readonly isAtOnce?: RegExp;
  /** What `isAtOnce` does not find counts only in the exception that ended the driver. @default false */
  readonly isConsequence?: boolean;
  readonly remedy: string;
  /** `undefined` where the words turn out to mean something else. */
  readonly say: (found: FoundInLog) => Pick<Finding, "message" | "nextStep" | "key"> | undefined;
}

/** What a row has found. */
export interface FoundInLog {
  readonly match: RegExpExecArray;
  readonly line: LogLine;
  readonly failure: Failure | undefined;
  readonly driver: PodView;
  readonly view: View;
}
