import type { ErrorCode, ErrorFields } from "./codes.ts";
import type { ErrorKind } from "./error-code-entry.ts";
import { errorCodeEntry } from "./find-entry.ts";
import { distinctIssues, type Issue, issue, type Result } from "./issue.ts";

// `messageOf` has its own module, so that programs without error codes do not load them.
export { messageOf } from "./message-of.ts";

const marker = Symbol.for("firesteel.SubmitError");

/**
 * A failure: all issues of one input, or one rejected call. Expected outcomes, such as a failed driver, are return values.
 *
 * @example
 * ```ts
 * const codes = (error: SubmitError) => error.issues.map(({ code }) => code);
 * ```
 */
export class SubmitError extends Error {
  readonly [marker] = true;
  readonly code: ErrorCode;
  readonly kind: ErrorKind;
  readonly issues: readonly [Issue, ...Issue[]];

  constructor(issues: readonly [Issue, ...Issue[]], options?: { cause?: unknown }) {
    super(issues.map(({ message }) => message).join("\n"), options);
    this.name = "SubmitError";
    this.issues = issues;
    this.code = issues[0].code;
    this.kind = errorCodeEntry(this.code).kind;
  }
}

/**
 * Returns whether a thrown value is a SubmitError. Checks a registered symbol, not the class, so that two copies of this package work together.
 *
 * @example
 * ```ts
 * if (isSubmitError(error)) console.error(error.code, error.message);
 * ```
 */
export function isSubmitError(error: unknown): error is SubmitError {
  return typeof error === "object" && error !== null && marker in error;
}

/** Returns whether a thrown value is a SubmitError whose first issue has this code. */
export function hasCode(error: unknown, code: ErrorCode): error is SubmitError {
  return isSubmitError(error) && error.code === code;
}

/** Builds a SubmitError with one issue. */
export function submitError<C extends ErrorCode>(
  code: C,
  fields: ErrorFields<C>,
  options?: { cause?: unknown },
): SubmitError {
  return new SubmitError([issue(code, fields)], options);
}

/** Throws all issues together, if there are any. For the first caller with side effects after pure code. @throws SubmitError */
export function throwIssues(issues: readonly Issue[]): void {
  const [first, ...rest] = issues;
  if (first !== undefined) throw new SubmitError([first, ...rest]);
}

/** Returns the value of a result, or throws its issues. For the first caller with side effects after pure code. @throws SubmitError */
export function orThrow<T>(result: Result<T>): T {
  if (result.ok) return result.value;
  throwIssues(result.issues);
  throw new Error("A result without a value has no issues.");
}

/**
 * Runs an action after which there are problems already, and puts them before those that it throws. The action must not succeed then.
 *
 * @throws SubmitError with all issues, each once
 */
export async function withEarlierIssues<T>(earlier: readonly Issue[], action: () => Promise<T>): Promise<T> {
  if (earlier.length === 0) return action();
  try {
    await action();
  } catch (error) {
    if (!isSubmitError(error)) throw error;
    throwIssues(distinctIssues([...earlier, ...error.issues]));
  }
  return orThrow<never>({ ok: false, issues: earlier });
}
