import type { CauseName } from "./causes.ts";

/** Reason why a driver does not start, failed, or is not making progress. */
export interface Diagnosis {
  readonly cause: CauseName;
  /** True: stays until someone changes something. False: may resolve itself. */
  readonly isTerminal: boolean;
  /** True: it held the driver up and has passed; the driver runs, or ended well. @default false */
  readonly isResolved?: boolean;
  /** One sentence in plain words with the names that matter; it never says `exit code: N`, which tools look for. */
  readonly message: string;
  /** Recommended action, one sentence. */
  readonly nextStep: string;
  /** The setting to change. */
  readonly key?: string | undefined;
  /** Quotes that show the cause, the decisive one first. Each is a verbatim part of its source. */
  readonly evidence: readonly Evidence[];
}

/** One piece of evidence. */
export interface Evidence {
  readonly in:
    | "pod"
    | "event"
    | "executor"
    | "log"
    | "initLog"
    | "sideCarLog"
    | "executorLog"
    | "rejection"
    | "object";
  readonly text: string;
}
