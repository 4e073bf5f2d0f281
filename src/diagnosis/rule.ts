import type { CauseName } from "./causes.ts";
import type { Evidence } from "./diagnosis.ts";
import type { View } from "./view.ts";

/** One way to recognise a cause. A cause may have several. */
export interface Rule {
  readonly cause: CauseName;
  /** Where it is seen, for the page of causes: a clause without a full stop. */
  readonly seen: string;
  /** What to do in general, for the page of causes: a sentence. */
  readonly remedy: string;
  /** What it has found in this observation, in words; `undefined` where the cause is not seen. */
  readonly find: (view: View) => Finding | undefined;
}

/** What a rule has found. */
export interface Finding {
  /** One sentence in plain words with the names that matter. */
  readonly message: string;
  /** What to do about it, one sentence. @default the rule's remedy */
  readonly nextStep?: string | undefined;
  /** The setting to change. */
  readonly key?: string | undefined;
  /** The decisive one first. */
  readonly evidence: readonly Evidence[];
  /** @default true */
  readonly isTerminal?: boolean | undefined;
  /** It has passed. @default false */
  readonly isOver?: boolean | undefined;
}
