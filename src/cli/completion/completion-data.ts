/** Commands, options and settings for completion. The build makes them of the help texts and the tables of options and settings. */
export interface CompletionData {
  /** Commands of `firesteel` by their path, e.g. `cluster start`; `""` is the program itself. */
  readonly commands: Readonly<Record<string, CompletedCommand>>;
  /** Options of spark-submit. */
  readonly sparkOptions: readonly CompletedOption[];
  /** Keys of settings with their values, if only some are allowed. A key that ends with a dot is a prefix. */
  readonly settings: readonly (readonly [key: string, values?: readonly string[]])[];
}

/** Arguments that can follow a command. */
export interface CompletedCommand {
  readonly subcommands: readonly Suggestion[];
  readonly options: readonly CompletedOption[];
  /** Whether it accepts the options of spark-submit, too. */
  readonly acceptsSparkOptions: boolean;
  readonly argument: ArgumentKind;
  /** Allowed values of an argument of the kind `choice`. */
  readonly choices?: readonly string[];
}

/** An option with the values that can follow it. */
export interface CompletedOption {
  readonly names: readonly string[];
  readonly text: string;
  /** `undefined`: the option has no value. */
  readonly value?: ArgumentKind;
  readonly choices?: readonly string[];
}

/** Kind of a value: how it is completed. */
export type ArgumentKind = "none" | "choice" | "file" | "directory" | "driver" | "setting" | "master";

/** A text that can be inserted, with its description. */
export interface Suggestion {
  readonly text: string;
  readonly description: string;
}

/** Suggestions for an argument, or the kind of those that the shell or the cluster has. */
export type Completion =
  | { readonly kind: "list"; readonly suggestions: readonly Suggestion[]; readonly isComplete: boolean }
  | { readonly kind: "file" | "directory" }
  /** Masters, to which those of running embedded clusters belong. Each follows the prefix, e.g. `--master=`. */
  | { readonly kind: "master"; readonly suggestions: readonly Suggestion[]; readonly prefix: string }
  /** Drivers of the cluster that the options name. */
  | { readonly kind: "driver"; readonly clusterOptions: readonly string[] };
