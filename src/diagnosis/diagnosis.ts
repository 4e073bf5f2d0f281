import type { CauseName } from "./causes.ts";

/** Why a driver does not start, ended badly, or does not get on. */
export interface Diagnosis {
  readonly cause: CauseName;
  /** True: stays so until somebody changes something. False: may pass by itself. */
  readonly isTerminal: boolean;
  /** True: it held the driver up and has passed; the driver runs, or ended well. @default false */
  readonly isOver?: boolean;
  /** One sentence in plain words with the names that matter; it never says `exit code: N`, which tools look for. */
  readonly message: string;
  /** What to do about it, one sentence. */
  readonly nextStep: string;
  /** The setting to change. */
  readonly key?: string | undefined;
  /** Where it is seen, the decisive one first. Texts stand word by word in what they are taken from. */
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
