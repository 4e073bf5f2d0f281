/** Parsed arguments of one of Firesteel's own commands. */
export interface ParsedOptions<F extends string, V extends string> {
  readonly has: (flag: F) => boolean;
  /** Returns the last value of an option. */
  readonly value: (name: V) => string | undefined;
  /** Returns all values of an option, in order. */
  readonly values: (name: V) => readonly string[];
  readonly positionals: readonly string[];
}

/** Builds parsed options from what a parser found. */
export function parsedOptions<F extends string, V extends string>(found: {
  readonly flags: ReadonlySet<string>;
  readonly values: ReadonlyMap<string, readonly string[]>;
  readonly positionals: readonly string[];
}): ParsedOptions<F, V> {
  return {
    has: (flag) => found.flags.has(flag),
    value: (name) => found.values.get(name)?.at(-1),
    values: (name) => found.values.get(name) ?? [],
    positionals: found.positionals,
  };
}
