import type { CauseName } from "./causes.ts";
import type { Evidence } from "./diagnosis.ts";
import type { View } from "./view.ts";

/** Rule that detects a cause. A cause may have several rules. */
export interface Rule {
  readonly cause: CauseName;
  /** Source that shows the cause, for the page of causes: a clause without a full stop. */
  readonly seen: string;
  /** General remedy, for the page of causes: a sentence. */
  readonly remedy: string;
  /** Looks for the cause in an observation and describes it. `undefined` if the cause is absent. */
  readonly find: (view: View) => Finding | undefined;
}

/** Finding of a rule. */
export interface Finding {
  /** One plain sentence with the relevant names. */
  readonly message: string;
  /** Recommended action, one sentence. @default the rule's remedy */
  readonly nextStep?: string | undefined;
  /** Key of the setting to change. */
  readonly key?: string | undefined;
  /** Most decisive evidence first. */
  readonly evidence: readonly Evidence[];
  /** @default true */
  readonly isTerminal?: boolean | undefined;
  /** Whether the problem is resolved. @default false */
  readonly isResolved?: boolean | undefined;
}
