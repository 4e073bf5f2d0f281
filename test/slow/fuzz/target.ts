/** A parser of outside input. Each input must end with a result or with an expected error: in time and in bounded memory. */
export interface FuzzTarget {
  /** Name for `--target`, and of the directory of its seeds. */
  readonly name: string;
  /** Parses one input. Must not depend on earlier inputs. */
  readonly run: (input: Buffer) => unknown;
  /** Returns whether the parser's documentation names this error. SubmitError is always expected. @default never */
  readonly isExpected?: (error: unknown) => boolean;
  /** Seeds that are made by code, such as archives. @default none */
  readonly seeds?: readonly (string | Uint8Array)[];
  /** Maximum size of an input. @default 4 KiB, and 256 KiB for one that repeats a part */
  readonly maxBytes?: number;
}

/** Returns a check for errors of these classes. */
export function isOneOf(
  ...classes: readonly (abstract new (
    ...args: never[]
  ) => Error)[]
): (error: unknown) => boolean {
  return (error) => classes.some((kind) => error instanceof kind);
}

/** Returns a check for errors whose message has this form. For parsers that throw a plain Error with a text for the user. */
export function hasMessage(form: RegExp): (error: unknown) => boolean {
  return (error) => error instanceof Error && form.test(error.message);
}
