import type { CauseName } from "./causes.ts";

/**
 * Reason why a driver does not start, failed, or is not making progress.
 *
 * @example
 * ```ts
 * const print = ({ message, nextStep, key }: Diagnosis) => console.error(message, nextStep, key ?? "");
 * ```
 */
export interface Diagnosis {
  readonly cause: CauseName;
  /** True: stays until someone changes something. False: may resolve itself. */
  readonly isTerminal: boolean;
  /** Whether the problem delayed the driver and is resolved: the driver runs, or succeeded. @default false */
  readonly isResolved?: boolean;
  /** One plain sentence with the relevant names; it never contains `exit code: N`, for which tools search. */
  readonly message: string;
  /** Recommended action, one sentence. */
  readonly nextStep: string;
  /** Key of the setting to change. */
  readonly key?: string | undefined;
  /** Quotes that show the cause, most decisive first. Each is a verbatim part of its source. */
  readonly evidence: readonly Evidence[];
}

/**
 * One piece of evidence.
 *
 * @example
 * ```ts
 * const quote = ({ in: source, text }: Evidence) => `${source}: ${text}`;
 * ```
 */
export interface Evidence {
  readonly in: "pod" | "event" | "executor" | "log" | "initLog" | "sideCarLog" | "executorLog" | "rejection" | "object";
  readonly text: string;
}
