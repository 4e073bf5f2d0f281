import type { CauseName } from "../causes.ts";
import type { Failure } from "../failure.ts";
import type { LogLine } from "../observation.ts";
import type { PodView } from "../pod-view.ts";
import type { Finding } from "../rule.ts";
import type { View } from "../view.ts";

/** Pattern in the driver log, and its meaning. */
export interface LogRow {
  readonly cause: CauseName;
  readonly pattern: RegExp;
  /**
   * `failure`: in the exception that ended the driver. `log`: anywhere, because the text alone is decisive.
   */
  readonly scope: "failure" | "log";
  /** Pattern of a line that is decisive even while the driver is still running. */
  readonly isImmediate?: RegExp;
  /** Without a match of the immediate pattern, counts only in the exception that ended the driver. @default false */
  readonly isConsequence?: boolean;
  readonly remedy: string;
  /** Describes the match; `undefined` if it has another meaning. */
  readonly explain: (found: FoundInLog) => Pick<Finding, "message" | "nextStep" | "key"> | undefined;
}

/** Match of a row. */
export interface FoundInLog {
  readonly match: RegExpExecArray;
  readonly line: LogLine;
  readonly failure: Failure | undefined;
  readonly driver: PodView;
  readonly view: View;
}
